import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { createHostCheck, type HostRules } from '../http/host-rules.ts';
import { HTTP_ERRORS } from './http-errors.ts';
import type { McpServerLike } from './mcp-server-like.ts';
import { namesStatelessVersion } from './protocol-version.ts';
import { readMessage } from './read-message.ts';
import { type Clock, createSessionStore, systemClock } from './session-store.ts';
import { type TrackedTransport, trackRequests } from './tracked-transport.ts';
import { watchBody } from './watch-body.ts';

export interface McpHttpOptions<Client = void> extends HostRules {
  /**
   * Makes the server of a new session. `client` tells who asks: in what a request makes happen, whoever sent that request;
   * else whoever opened the session.
   */
  readonly createServer: (client: () => Client) => McpServerLike | Promise<McpServerLike>;
  /** Whether somebody may use the session that another one opened; anyone may, unless this is given. */
  readonly mayShare?: ((opener: Client, other: Client) => boolean) | undefined;
  /** Reads bodies instead of JSON.parse, so that they may be kept as they are. */
  readonly parseBody?: ((text: string) => unknown) | undefined;
  /** Answers requests that name a version of the protocol without sessions, 2026-07-28 or later. */
  readonly stateless?: ((request: Request, client: Client) => Promise<Response>) | undefined;
  /** Default 1000. When there are as many, the one idle for longest makes room for a new one. */
  readonly maxSessions?: number | undefined;
  /** Sessions without a request or an open stream for so long are gone. Default 30 minutes. */
  readonly idleMilliseconds?: number | undefined;
  /** Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Stop working on requests whose client has gone. Their answers reach nobody, for streams cannot be resumed; but MCP means
   * a lost connection not to cancel, so only say true if the tools have no effects.
   */
  readonly cancelWhenGone?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

export interface McpHttp<Client = void> {
  /** Answers any request to the MCP endpoint. */
  readonly handle: (request: Request, client: Client) => Promise<Response>;
  /** Lets what was accepted be answered, for two seconds unless told otherwise; then ends all sessions. */
  readonly close: (graceMilliseconds?: number) => Promise<void>;
  /** How many sessions there are. */
  readonly sessions: () => number;
}

interface Session<Client> {
  readonly http: WebStandardStreamableHTTPServerTransport;
  readonly tracked: TrackedTransport;
  readonly opener: Client;
}

/** The HTTP request being handled. */
interface Handled<Client> {
  /** The ids of the JSON-RPC requests that it carries. */
  readonly ids: RequestId[];
  readonly client: Client;
}

const METHODS = ['GET', 'POST', 'DELETE'];
const HALF_AN_HOUR = 30 * 60_000;

/** MCP over streamable HTTP: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#streamable-http */
export function createMcpHttp<Client = void>(options: McpHttpOptions<Client>): McpHttp<Client> {
  const checkHost = createHostCheck(options);
  const store = createSessionStore<Session<Client>>({
    max: options.maxSessions ?? 1000,
    idleMilliseconds: options.idleMilliseconds ?? HALF_AN_HOUR,
    clock: options.clock ?? systemClock,
    onDrop: ({ http }) => void http.close(),
  });
  const handled = new AsyncLocalStorage<Handled<Client>>();
  const { parseBody, maxBodyBytes, mayShare = () => true } = options;
  let closed = false;

  async function pass(http: WebStandardStreamableHTTPServerTransport, request: Request): Promise<Response> {
    if (!parseBody || request.method !== 'POST') return http.handleRequest(request);
    const body = await readMessage(request, { parse: parseBody, maxBytes: maxBodyBytes });
    return 'refusal' in body ? body.refusal : http.handleRequest(request, { parsedBody: body.message });
  }

  /** A session starts to exist when the SDK has found the request to be a proper `initialize`. */
  async function start(request: Request, opener: Client): Promise<Response> {
    let full = false;
    const http = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      ...(maxBodyBytes === undefined ? {} : { maxRequestBodySize: maxBodyBytes }),
      async onsessioninitialized(id) {
        const tracked = trackRequests(http, {
          onRequest: (requestId) => handled.getStore()?.ids.push(requestId),
          onCancelled: (requestId) => release(http, requestId),
        });
        full = closed || !store.add(id, { http, tracked, opener });
        if (full) throw new Error('no room for a session');
        const server = await options.createServer(() => handled.getStore()?.client ?? opener);
        await server.connect(tracked);
        const { onclose } = http;
        http.onclose = () => {
          store.delete(id);
          onclose?.();
        };
      },
    });
    const response = await pass(http, request);
    if (!full) return response;
    await response.body?.cancel();
    return HTTP_ERRORS.full();
  }

  async function proceed(
    id: string,
    { http, tracked }: Session<Client>,
    request: Request,
    client: Client,
  ): Promise<Response> {
    const leave = store.enter(id);
    const ids: RequestId[] = [];
    const onEnd = (gone: boolean): void => {
      leave();
      if (gone && options.cancelWhenGone) for (const requestId of ids) tracked.cancel(requestId);
    };
    try {
      const response = await handled.run({ ids, client }, () => pass(http, request));
      if (isStream(response)) return watchBody(response, onEnd);
      leave();
      return response;
    } catch (error) {
      leave();
      throw error;
    }
  }

  return {
    async handle(request, client) {
      const refusal = checkHost(request);
      if (refusal !== undefined) return HTTP_ERRORS.forbidden(refusal);
      if (closed) return HTTP_ERRORS.closed();
      if (options.stateless && namesStatelessVersion(request)) return options.stateless(request, client);
      if (!METHODS.includes(request.method)) return HTTP_ERRORS.method(METHODS);
      const id = request.headers.get('mcp-session-id');
      if (id === null) return request.method === 'POST' ? start(request, client) : HTTP_ERRORS.noSession();
      const session = store.get(id);
      if (!session || !mayShare(session.opener, client)) return HTTP_ERRORS.unknownSession();
      return proceed(id, session, request, client);
    },
    async close(graceMilliseconds = 2000) {
      closed = true;
      store.stop();
      const endings = store.values().map(async ({ http, tracked }) => {
        await within(graceMilliseconds, tracked.settled());
        await http.close();
      });
      await Promise.all(endings);
    },
    sessions: () => store.size,
  };
}

/**
 * The SDK sends nothing for a cancelled request and would keep its stream open for as long as the session lives. Once the
 * stream is ended, what is sent reaches nobody, as it should; but it makes the SDK forget the request. (Requests that came
 * in one batch share a stream, so that all of them end; batches are gone since protocol version 2025-06-18.)
 */
function release(http: WebStandardStreamableHTTPServerTransport, id: RequestId): void {
  http.closeSSEStream(id);
  http.send({ jsonrpc: '2.0', id, result: {} }).catch(() => undefined);
}

async function within(milliseconds: number, wanted: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, milliseconds);
  await Promise.race([wanted, late.promise]);
  clearTimeout(timer);
}

const isStream = (response: Response): boolean =>
  response.headers.get('content-type') === 'text/event-stream';
