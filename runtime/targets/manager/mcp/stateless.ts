import { isObject } from '#core/json/is-object.ts';
import type { EventStream } from '#serve/mcp/event-stream.ts';
import type { HttpExchange } from '#serve/http/exchange.ts';
import { MCP_CODE } from '#serve/errors/mcp-code.ts';
import { META_KEY } from '#serve/mcp/rpc-message.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import {
  createStatelessHttp,
  LISTEN_METHOD,
  type StatelessCall,
  type StatelessHttpOptions,
} from '#serve/mcp/stateless-http.ts';
import { STATELESS_VERSIONS } from '#serve/mcp/stateless-request.ts';
import { RESOURCE_NOT_FOUND } from '../calls/run-call.ts';
import type { Requester } from '../upstream/connection.ts';
import { URL_ELICITATION_REQUIRED } from '../upstream/url-elicitations.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { usableCapabilities } from '../upstream/server-requests.ts';
import type { McpClient } from './client.ts';
import type { EndpointDescription } from './endpoint.ts';
import { type McpCall, progressTo } from './mcp-call.ts';
import type { McpParts } from './parts.ts';
import { createMultiRoundRequests } from './multi-round-requests.ts';
import { withoutSession } from './tasks/task-capabilities.ts';
import type { QualifiedName } from '../calls/tool-catalog.ts';
import type { Listener } from './listeners.ts';
import { isAtLeast, parseLogLevel } from './log-levels.ts';
import { createMessageView } from './message-view.ts';
import type { ToolCaller } from '../access/caller.ts';
import { listenWithoutSession } from './stateless-listen.ts';

type Call = StatelessCall<McpClient>;

const DISCOVER_METHOD = 'server/discover';

/** Methods whose results have a cache lifetime. */
const CACHEABLE = new Set([
  DISCOVER_METHOD,
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** Methods during which a server can request client input. */
const INPUT_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);

interface Options extends Pick<StatelessHttpOptions<McpClient>, 'maxBodyBytes' | 'parseBody'> {
  readonly inputTimeoutMs: number | undefined;
}

export interface StatelessEndpoint {
  readonly handle: (exchange: HttpExchange, client: McpClient) => Promise<void>;
  /** Closes the notification streams of some callers. */
  endStreams(isMeant: (caller: ToolCaller) => boolean): void;
  /** Closes notification streams, and cancels calls that are waiting for their clients. */
  close(): void;
}

/**
 * Creates the endpoint for clients of revision 2026-07-28, which have no session and identify themselves in
 * each request.
 */
export function createStatelessEndpoint(
  parts: McpParts,
  { inputTimeoutMs, ...options }: Options,
): StatelessEndpoint {
  const listening = new Map<() => void, ToolCaller>();
  const multiRound = createMultiRoundRequests(inputTimeoutMs);

  const work = (call: Call, requester?: Requester): Promise<ShapeOfParams> => {
    const { methods } = call.client.endpoint;
    return withMessages(parts, call, (target) =>
      parts.dispatch(methods, call.method, { ...mcpCall(call, requester ?? declaring(call)), target }),
    );
  };
  const answer = async (call: Call): Promise<ShapeOfParams> => {
    const { endpoint, caller } = call.client;
    const { method } = call;
    const facts = await endpoint.describe(caller);
    if (method === DISCOVER_METHOD) return completed(method, discovered(facts), facts);
    if (!INPUT_METHODS.has(method) || !supportsInput(call)) return completed(method, await work(call), facts);
    const round = await multiRound.answer(call, work);
    if ('result' in round) return completed(method, round.result, facts);
    return { resultType: 'input_required', ...withServerInfo(round.inputRequired, facts) };
  };

  return {
    handle: createStatelessHttp<McpClient>({
      ...options,
      isKnown: (method, { endpoint }) =>
        method === DISCOVER_METHOD || method === LISTEN_METHOD || endpoint.methods.has(method),
      async answer(call) {
        try {
          return await answer(call);
        } catch (error) {
          throw withCurrentCode(RpcError.from(error));
        }
      },
      listen: (call, stream) => void listen(parts, call, stream, listening),
    }),
    endStreams(isMeant) {
      for (const [end, caller] of listening) {
        if (!isMeant(caller)) continue;
        listening.delete(end);
        end();
      }
    },
    close() {
      for (const end of listening.keys()) end();
      multiRound.close();
    },
  };
}

/** Whether a call's client can provide input. A call with a `requestState` has already requested some. */
const supportsInput = (call: Call): boolean =>
  call.params['requestState'] !== undefined || Object.keys(usableCapabilities(call)).length > 0;

async function listen(
  parts: McpParts,
  call: Call,
  stream: EventStream,
  listening: Map<() => void, ToolCaller>,
): Promise<void> {
  const { signal } = call;
  const { caller, endpoint } = call.client;
  try {
    const request = { id: call.id, call: mcpCall(call, declaring(call)), endpoint, caller, stream };
    const end = await listenWithoutSession(parts, request);
    if (signal.aborted) return;
    listening.set(end, caller);
    signal.addEventListener('abort', () => listening.delete(end), { once: true });
  } catch (error) {
    const { code, message, data } = RpcError.from(error);
    stream.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, error: { code, message, data } }));
    stream.end();
  }
}

/** The client of a call that servers cannot send requests to, with the extensions that it declares. */
const declaring = (call: Call): Requester | undefined => {
  const { extensions } = call.capabilities;
  if (extensions === undefined) return undefined;
  const request = (): Promise<never> =>
    Promise.reject(
      new RpcError(RPC_CODE.methodNotFound, 'The client does not accept requests from servers.'),
    );
  return { identity: call, capabilities: { extensions }, request };
};

const mcpCall = ({ client, params, signal, notify, capabilities }: Call, requester?: Requester): McpCall => ({
  capabilities,
  caller: client.caller,
  requestId: client.requestId,
  headers: client.headers,
  received: client.received,
  params,
  signal,
  onProgress: progressTo(params, notify),
  requester,
});

const discovered = ({ capabilities, instructions }: EndpointDescription): ShapeOfParams => ({
  supportedVersions: STATELESS_VERSIONS,
  capabilities: withoutSession(capabilities),
  instructions,
});

/** Adds the fields that this revision requires in every result. */
const completed = (method: string, result: ShapeOfParams, facts: EndpointDescription): ShapeOfParams => ({
  ...withServerInfo(result, facts),
  resultType: method === 'tools/call' && result['resultType'] === 'task' ? 'task' : 'complete',
  ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
});

function withServerInfo(result: ShapeOfParams, { info }: EndpointDescription): ShapeOfParams {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  return { ...result, _meta: { ...meta, [META_KEY.serverInfo]: info } };
}

/**
 * Error codes of earlier revisions that this revision does not allow, with their replacements. It has input requests
 * instead of the error for a URL that a person must open first.
 */
const OLD_CODES = new Map<number, number>([
  [RESOURCE_NOT_FOUND, RPC_CODE.invalidParams],
  [URL_ELICITATION_REQUIRED, MCP_CODE.InternalError],
]);

function withCurrentCode(error: RpcError): RpcError {
  const code = OLD_CODES.get(error.code);
  return code === undefined ? error : new RpcError(code, error.message, { cause: error, data: error.data });
}

/**
 * Runs a request and, if the request contains a log level, forwards the server's log messages to its client
 * meanwhile. `work` receives the request's target if it was resolved for this. Clients share one connection
 * per server, so messages about other clients' requests can be included.
 */
async function withMessages<Result>(
  parts: McpParts,
  { client, params, signal, notify }: StatelessCall<McpClient>,
  work: (target: QualifiedName | undefined) => Promise<Result>,
): Promise<Result> {
  const { _meta: meta } = params;
  const requested = isObject(meta) ? meta[META_KEY.logLevel] : undefined;
  if (requested === undefined) return work(undefined);
  const level = parseLogLevel(requested);
  const { caller, endpoint, requestId } = client;
  const target = endpoint.targets.of(caller, params);
  if (target === undefined) return work(undefined);
  const { server } = target;
  const view = createMessageView(endpoint);
  const listener: Listener = {
    server,
    caller: () => caller,
    listChanged: () => undefined,
    updated: () => undefined,
    message(from, message) {
      if (isAtLeast(message['level'], level)) notify('notifications/message', view(from, message));
    },
  };
  // A server without support for log levels can still send log messages.
  await parts.subscriptions
    .setLevel(listener, { caller, requestId, params: {}, signal }, level)
    .catch(() => undefined);
  const leave = parts.listeners.add(listener);
  try {
    return await work(target);
  } finally {
    leave();
    parts.subscriptions.drop(listener);
  }
}
