import { type Context, Hono } from 'hono';
import type { DirectRoute, DirectRequest } from '#serve/http/exchange.ts';
import type { HostRules } from '#serve/http/request-head.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import { createMcpSse } from '#serve/mcp/sse-http.ts';
import { createMcpHttp, type McpHttp } from '#serve/mcp/streamable-http.ts';
import { selectFor, selectionIn } from '../access/selection.ts';
import type { ManagerContext } from '../context.ts';
import { type ToolCaller, isCaller } from '../access/caller.ts';
import { inspectMessages } from '../plugins/plugins.ts';
import { type ReceivedRequest, receivedRequest } from '../plugins/received-request.ts';
import { callerOfRequest, GROUP_PATH, groupCallerOf, groupPathOf } from '../http/env.ts';
import { isSameClient, type McpClient } from './client.ts';
import { createMcpEndpoints, type McpEndpointOptions } from './mcp-endpoints.ts';
import { selectedMode } from './mode-of.ts';
import { openSessionServer } from './session-server.ts';
import { createStatelessEndpoint } from './stateless.ts';
import { AppError } from '#contract/errors.ts';
import { DEFAULT_MAX_BODY_BYTES } from '#serve/mcp/read-message.ts';
import type { EndpointFor } from './endpoint.ts';

export interface ManagerMcpOptions extends HostRules, McpEndpointOptions {
  readonly maxBodyBytes?: number | undefined;
  /** Time limit for a client without a session to respond to a server request. Default: 5 minutes. */
  readonly inputTimeoutMs?: number | undefined;
}

export interface ManagerMcpRoutes {
  readonly routes: Hono<ShellEnv>;
  /** The MCP routes for requests that are handled without the HTTP framework. */
  readonly direct: readonly DirectRoute[];
  /** Closes the sessions and streams of a user, with the requests in them. */
  readonly endSessions: (user: string) => void;
  /** Waits for accepted requests, by default up to two seconds, then closes all sessions. */
  readonly close: (graceMilliseconds?: number) => Promise<void>;
}

const SSE_PATH = '/sse';
const SSE_MESSAGES_PATH = '/messages';

/**
 * The routes `/mcp` for all servers and `/mcp/{server}` for one, `/sse` and `/sse/{server}` for clients
 * without streamable HTTP, and the same below `/groups/{group}`. The app that mounts them authenticates
 * callers.
 */
export function managerMcpRoutes(context: ManagerContext, options: ManagerMcpOptions): ManagerMcpRoutes {
  const { inputTimeoutMs, ...rules } = options;
  const { parts, endpointFor, close } = createMcpEndpoints(context, options);
  const stateless = createStatelessEndpoint(parts, {
    maxBodyBytes: options.maxBodyBytes,
    parseBody: parseLossless,
    inputTimeoutMs,
  });
  const sessions = {
    ...rules,
    parseBody: parseLossless,
    createServer: (link: Parameters<typeof openSessionServer>[1], client: McpClient) =>
      openSessionServer(parts, link, client),
  };
  const mcp = createMcpHttp<McpClient>({
    ...sessions,
    canShare: isSameClient,
    stateless: stateless.handle,
  });
  const sse = createMcpSse<McpClient>(sessions);

  const routes = new Hono<ShellEnv>();
  const inspects = inspectMessages(options.plugins);
  const clientOf = (c: Context<ShellEnv>, caller = callerOfRequest(c)): Omit<McpClient, 'endpoint'> => ({
    caller: selectFor(caller, selectionIn(c.req.url)),
    requestId: c.get('requestId'),
    headers: c.req.raw.headers,
    received: inspects ? receivedRequest(c) : undefined,
  });
  const openingClient = (
    c: Context<ShellEnv>,
    server: string | undefined,
    caller?: ToolCaller,
  ): McpClient => {
    const client = clientOf(c, caller);
    return { ...client, endpoint: endpointFor(client.caller, server, selectedMode(c.req.url)) };
  };
  const answer = (c: Context<ShellEnv>, server?: string, caller?: ToolCaller): Promise<Response> => {
    const client = openingClient(c, server, caller);
    return answerRequest(c, (exchange) => mcp.handle(exchange, client));
  };
  const openStream = (c: Context<ShellEnv>, server?: string, caller?: ToolCaller): Promise<Response> => {
    const client = openingClient(c, server, caller);
    const messages = groupPathOf(c) + SSE_MESSAGES_PATH + new URL(c.req.url).search;
    return answerRequest(c, async (exchange) => sse.open(exchange, client, messages));
  };
  const takeMessage = (c: Context<ShellEnv>, caller?: ToolCaller): Promise<Response> => {
    const { received, ...own } = clientOf(c, caller);
    const client = { ...own, received: received && atMcp(received) };
    return answerRequest(c, (exchange) =>
      sse.post(exchange, (opener) => {
        const sender = { ...client, endpoint: opener.endpoint };
        return isSameClient(opener, sender) ? sender : undefined;
      }),
    );
  };
  routes.all(ALL_SERVERS_PATH, (c) => answer(c));
  routes.all(ONE_SERVER_PATH, (c) => answer(c, c.req.param('server')));
  routes.get(SSE_PATH, (c) => openStream(c));
  routes.get(`${SSE_PATH}/:server`, (c) => openStream(c, c.req.param('server')));
  routes.post(SSE_MESSAGES_PATH, (c) => takeMessage(c));
  const inGroup = (c: Context<ShellEnv>): ToolCaller => groupCallerOf(c, context.groups);
  routes.all(`${GROUP_PATH}${ALL_SERVERS_PATH}`, (c) => answer(c, undefined, inGroup(c)));
  routes.all(`${GROUP_PATH}${ONE_SERVER_PATH}`, (c) => answer(c, c.req.param('server'), inGroup(c)));
  routes.get(GROUP_PATH + SSE_PATH, (c) => openStream(c, undefined, inGroup(c)));
  routes.get(`${GROUP_PATH}${SSE_PATH}/:server`, (c) => openStream(c, c.req.param('server'), inGroup(c)));
  routes.post(GROUP_PATH + SSE_MESSAGES_PATH, (c) => takeMessage(c, inGroup(c)));
  return {
    routes,
    direct: directMessages({
      mcp,
      endpointFor,
      hostRules: rules,
      maxBodyBytes: options.maxBodyBytes,
    }),
    endSessions(user) {
      const isMeant = ({ caller }: McpClient): boolean => caller.user === user;
      mcp.endSessions(isMeant);
      sse.endSessions(isMeant);
      stateless.endStreams((caller) => caller.user === user);
    },
    async close(graceMilliseconds = 2000) {
      stateless.close();
      await Promise.all([mcp.close(graceMilliseconds), sse.close(graceMilliseconds)]);
      await close();
    },
  };
}

/** The request with the URL at which a client without an event stream would send it. */
const atMcp = (received: ReceivedRequest): ReceivedRequest => {
  const url = new URL(received.url);
  if (url.pathname.endsWith(SSE_MESSAGES_PATH))
    url.pathname = url.pathname.slice(0, -SSE_MESSAGES_PATH.length) + ALL_SERVERS_PATH;
  return { ...received, url: url.href };
};

const ALL_SERVERS_PATH = '/mcp';
const ONE_SERVER_PATH = '/mcp/:server';

interface DirectMessageParts extends Pick<DirectRoute, 'hostRules'> {
  readonly mcp: McpHttp<McpClient>;
  readonly endpointFor: EndpointFor;
  readonly maxBodyBytes?: number | undefined;
}

/** Accept headers of MCP clients that can use the fast path. */
const BOTH_TYPES: ReadonlySet<string> = new Set([
  'application/json, text/event-stream',
  'application/json,text/event-stream',
  'text/event-stream, application/json',
  'text/event-stream,application/json',
]);

/** Routes for messages that are handled without the HTTP framework. */
function directMessages({ mcp, endpointFor, ...rules }: DirectMessageParts): readonly DirectRoute[] {
  const answer = async (request: DirectRequest): Promise<void> => {
    const { exchange, requestId, caller, parts } = request;
    if (!isCaller(caller)) throw new AppError('InternalError', 'the request has no caller');
    const selected = selectFor(caller, selectionIn(exchange.url));
    const client = {
      caller: selected,
      requestId,
      headers: exchange.headers,
      endpoint: endpointFor(selected, parts[0], selectedMode(exchange.url)),
    };
    await mcp.handle(exchange, client);
  };
  const common = {
    accepts: BOTH_TYPES,
    hostRules: rules.hostRules,
    maxBodyBytes: rules.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    answer,
  };
  return [
    { ...common, route: ALL_SERVERS_PATH, path: /^\/mcp(?:\?.*)?$/ },
    { ...common, route: ONE_SERVER_PATH, path: /^\/mcp\/([\w.-]+)(?:\?.*)?$/ },
  ];
}
