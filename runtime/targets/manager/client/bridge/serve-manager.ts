import { settlesWithin } from '#platform/wait-for.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { Logger } from '#serve/log.ts';
import { createLineTransport, type LineTransportOptions } from '#serve/mcp/line-transport.ts';
import { mcpPath, type Selection } from '../../access/selection.ts';
import { MANAGER_DEFAULTS } from '../../config/defaults.ts';
import { openStreamableHttp } from '../../upstream/remote/streamable-http.ts';
import { messageOf } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { MCP_CODE } from '#serve/errors/mcp-code.ts';
import { isRequestId, type RequestId } from '#serve/mcp/rpc-message.ts';
import {
  RpcFailure,
  SessionExpired,
  type Transport,
  type TransportHooks,
} from '../../upstream/connection.ts';
import type { RpcMessage } from '../../upstream/rpc-message.ts';
import { RPC_CODE } from '#serve/mcp/rpc-error.ts';
import { rpcFailure } from '../../upstream/rpc-peer.ts';

interface ManagerSettings {
  readonly apiKey: string | undefined;
  readonly selection: Selection;
  readonly group: string | undefined;
}

interface StdioParts extends Pick<LineTransportOptions, 'stdin' | 'stdout' | 'signal'> {
  readonly log: Logger;
}

const TIMEOUTS = {
  install: 0,
  init: MANAGER_DEFAULTS.init,
  request: MANAGER_DEFAULTS.request,
  shutdown: 1000,
};
/** Maximum time for requests in flight after a stop signal. Clients kill a server after two seconds. */
const STOP_MS = 1000;

/**
 * Connects a client on stdin and stdout to the `/mcp` endpoint of a running manager, or of one of its groups,
 * until stdin ends or `signal` is aborted.
 */
export async function serveManager(
  address: URL,
  { apiKey, selection, group }: ManagerSettings,
  { log, ...streams }: StdioParts,
): Promise<void> {
  const launch = {
    kind: 'remote',
    transport: 'http',
    url: new URL(mcpPath(selection, group), address).href,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  } as const;
  const lines = createLineTransport({ ...streams, parse: parseLossless });
  const bridge = createBridge({
    open: (hooks) => openStreamableHttp(launch, TIMEOUTS, hooks),
    tell: (message) => void lines.sendText(JSON.stringify(message)).catch(() => undefined),
    log: (line) => log.warn(line),
  });
  lines.onmessage = (message) => bridge.take(message);
  await lines.start();
  await Promise.race([lines.finished, lines.gone]);
  const answered = bridge.settled().then(() => lines.flushed());
  if (streams.signal?.aborted) await settlesWithin(STOP_MS, answered);
  else await Promise.race([answered, lines.gone, aborted(streams.signal)]);
  await bridge.close();
  await lines.close();
}

const aborted = (signal: AbortSignal | undefined): Promise<unknown> =>
  new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));

/** Forwards messages between one client and a running manager, in both directions. */
interface Bridge {
  /** Handles a message from the client. */
  readonly take: (message: RpcMessage) => void;
  /** Resolves when all requests from the client have a response. */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface BridgeOptions {
  /** Opens a connection to the manager's MCP endpoint. */
  readonly open: (hooks: TransportHooks) => Promise<Transport>;
  /** Sends a message to the client. */
  readonly tell: (message: RpcMessage) => void;
  readonly log: (line: string) => void;
  /** Delay between attempts to reach a stopped manager. */
  readonly retryMs?: number | undefined;
}

const RETRY_MS = 2000;
const CANCELLED = 'notifications/cancelled';
const LISTS = ['tools', 'prompts', 'resources'];

/** A client request that is waiting for its response. */
interface Sent {
  readonly id: RequestId;
  readonly message: RpcMessage;
  /** Whether the request was resent after its session had expired. */
  readonly isRepeated: boolean;
}

/** A request from the manager to the client. */
interface Asked {
  readonly id: RequestId;
  readonly from: Transport;
}

/**
 * Restores the session after a restart of the manager: clients on stdio cannot reconnect, and most do not
 * restart a server that has exited. Requests in flight then get an error, unless the manager reported that it
 * did not accept them.
 */
function createBridge({ open, tell, log, retryMs = RETRY_MS }: BridgeOptions): Bridge {
  // Maps the request IDs of the client and the manager to new IDs, because they are only unique
  // within a session.
  const sent = createRequestIds<Sent>();
  const asked = createRequestIds<Asked>();
  const handshake = createHandshake();
  let connected: Promise<Transport> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let pending = 0;
  let idle: (() => void)[] = [];
  let closed = false;

  const settle = (): void => {
    pending -= 1;
    if (pending > 0) return;
    for (const resolve of idle) resolve();
    idle = [];
  };
  const answer = (message: RpcMessage): void => {
    tell(message);
    settle();
  };
  const fail = ({ id, message }: Sent, reason: unknown): void => {
    handshake.end(message, undefined);
    answer({ jsonrpc: '2.0', id, error: errorOf(reason) });
  };

  const connect = (): Promise<Transport> => {
    clearTimeout(retry);
    connected ??= openConnection();
    return connected;
  };
  const openConnection = async (): Promise<Transport> => {
    const opened = Promise.withResolvers<Transport>();
    const onLost = (number: number, reason: Error): void => {
      if (handshake.lost(number, reason)) return;
      const request = sent.take(number);
      if (!request) return;
      if (!(reason instanceof SessionExpired) || request.isRepeated) return fail(request, reason);
      // The manager did not accept the request, so it can be resent in a new session.
      connected = undefined;
      void forward({ ...request, isRepeated: true });
    };
    try {
      const transport = await open({
        onMessage: (message) => void opened.promise.then((from) => receive(message, from)),
        onLost: (number, reason) => void opened.promise.then(() => onLost(number, reason)),
        onLog: log,
      });
      opened.resolve(transport);
      void watch(transport, connected);
      if (!handshake.isRepeatable()) return transport;
      await handshake.repeat(transport);
      // The manager may have a different configuration now.
      for (const list of LISTS) tell({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
      return transport;
    } catch (error) {
      connected = undefined;
      throw error;
    }
  };
  const watch = async ({ closed: ended }: Transport, current: typeof connected): Promise<void> => {
    const { message } = await ended;
    if (connected !== current || closed) return;
    connected = undefined;
    log(`The connection to the manager was closed: ${message}`);
    reconnectLater();
  };
  const reconnectLater = (): void => {
    if (closed || !handshake.isRepeatable()) return;
    clearTimeout(retry);
    retry = setTimeout(() => void connect().catch(reconnectLater), retryMs).unref();
  };

  const receive = (message: RpcMessage, from: Transport): void => {
    const { id, method, params } = message;
    if (method === undefined) {
      if (handshake.receive(message)) return;
      const request = sent.take(id);
      if (!request) return;
      handshake.end(request.message, message, from);
      answer({ ...message, id: request.id });
    } else if (isRequestId(id)) {
      tell({ ...message, id: asked.add({ id, from }) });
    } else if (method === CANCELLED && isObject(params)) {
      const requestId = asked.numberOf(params['requestId']);
      if (requestId !== undefined) tell({ ...message, params: { ...params, requestId } });
    } else tell(message);
  };

  const forward = async (request: Sent): Promise<void> => {
    try {
      const transport = await connect();
      transport.send({ ...request.message, id: sent.add(request) });
    } catch (error) {
      fail(request, error);
      reconnectLater();
    }
  };
  const cancel = (transport: Transport, { requestId, reason }: Readonly<Record<string, unknown>>): void => {
    const number = sent.numberOf(requestId);
    if (number === undefined) return;
    sent.take(number);
    settle();
    transport.cancel(number, typeof reason === 'string' ? reason : 'The client canceled the request.');
  };
  const notify = async (message: RpcMessage): Promise<void> => {
    const transport = await connected?.catch(() => undefined);
    if (!transport) return;
    const { method, params } = message;
    if (method === CANCELLED && isObject(params)) cancel(transport, params);
    else transport.send(message);
  };
  const handle = (message: RpcMessage): void => {
    const { id, method } = message;
    if (method === undefined) {
      const request = asked.take(id);
      request?.from.send({ ...message, id: request.id });
    } else if (!isRequestId(id)) {
      void notify(message);
    } else if (method === 'ping') {
      answer({ jsonrpc: '2.0', id, result: {} });
    } else {
      const request = { id, message, isRepeated: false };
      const problem = handshake.problem(method);
      if (problem) return fail(request, problem);
      handshake.begin(method);
      void forward(request);
    }
  };

  return {
    take(message) {
      if (message.method !== undefined && isRequestId(message.id)) pending += 1;
      const { running } = handshake;
      if (running) void running.then(() => handle(message));
      else handle(message);
    },
    settled: () => (pending === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
    async close() {
      closed = true;
      clearTimeout(retry);
      const transport = await connected?.catch(() => undefined);
      await transport?.close();
    },
  };
}

function errorOf(reason: unknown): NonNullable<RpcMessage['error']> {
  if (!(reason instanceof RpcFailure)) {
    return { code: MCP_CODE.UnavailableError, message: messageOf(reason) };
  }
  const { code, message, data } = reason;
  return { code, message, ...(data === undefined ? {} : { data }) };
}

/** Open requests by a number that is unique across sessions. */
interface RequestIds<Request> {
  /** Returns the number for a request. */
  add(request: Request): number;
  /** Returns and removes the request with a number; undefined if unknown. */
  take(number: unknown): Request | undefined;
  /** Returns the number of the open request with an ID. */
  numberOf(id: unknown): number | undefined;
}

function createRequestIds<Request extends { readonly id: RequestId }>(): RequestIds<Request> {
  const open = new Map<unknown, Request>();
  const numbers = new Map<unknown, number>();
  let last = 0;
  return {
    add(request) {
      last += 1;
      open.set(last, request);
      numbers.set(request.id, last);
      return last;
    },
    take(number) {
      const request = open.get(number);
      open.delete(number);
      if (request && numbers.get(request.id) === number) numbers.delete(request.id);
      return request;
    },
    numberOf: (id) => numbers.get(id),
  };
}

/** The state of a client's session that must be restored after a restart of the manager. */
interface Handshake {
  /** Explains why a request cannot be sent before `initialize`; undefined if it can be sent. */
  problem(method: string): RpcFailure | undefined;
  /**
   * A promise that later messages must wait for, because separate HTTP requests could overtake `initialize`.
   * Undefined if nothing needs to wait.
   */
  readonly running: Promise<void> | undefined;
  /** Handles a request from the client before it is sent. */
  begin(method: string): void;
  /** Handles the response to a client request; undefined if there is no response. */
  end(request: RpcMessage, response: RpcMessage | undefined, transport?: Transport): void;
  /** Whether the client has opened a session, so that it can be restored. */
  isRepeatable(): boolean;
  /** Reopens the same session on a new connection. */
  repeat(transport: Transport): Promise<void>;
  /** Handles a response to a request of `repeat`; returns false for others. */
  receive(message: RpcMessage): boolean;
  lost(id: number, reason: Error): boolean;
}

const INITIALIZED: RpcMessage = { jsonrpc: '2.0', method: 'notifications/initialized' };

function createHandshake(): Handshake {
  let initialize: RpcMessage | undefined;
  let running: PromiseWithResolvers<void> | undefined;
  let wasRequested = false;
  /** Requests that affect the rest of the session, keyed by their subject. */
  const lasting = new Map<string, RpcMessage>();
  const repeated = new Map<number, PromiseWithResolvers<RpcMessage>>();
  let lastId = 0;

  /** Sends a request with a negative ID, so that it cannot collide with the client's IDs. */
  const request = (transport: Transport, message: RpcMessage): Promise<RpcMessage> => {
    lastId -= 1;
    const response = Promise.withResolvers<RpcMessage>();
    repeated.set(lastId, response);
    transport.send({ ...message, id: lastId });
    return response.promise;
  };

  return {
    get running() {
      return running?.promise;
    },
    problem(method) {
      if (method === 'initialize' || wasRequested) return undefined;
      const isUnknown = method === 'server/discover';
      const code = isUnknown ? RPC_CODE.methodNotFound : RPC_CODE.invalidRequest;
      const message = isUnknown
        ? `Method not found: ${method}`
        : `Invalid request: send \`initialize\` before \`${method}\`.`;
      return rpcFailure({ code, message });
    },
    begin(method) {
      if (method !== 'initialize') return;
      wasRequested = true;
      running ??= Promise.withResolvers();
    },
    end(message, response, transport) {
      const { method, params } = message;
      const result = isObject(response?.result) ? response.result : undefined;
      if (method === 'initialize') {
        if (result && !initialize) {
          initialize = message;
          transport?.useProtocol(String(result['protocolVersion']));
        }
        if (!initialize) wasRequested = false;
        running?.resolve();
        running = undefined;
      }
      if (!result) return;
      if (method === 'logging/setLevel') lasting.set('level', message);
      if (method === 'resources/subscribe') lasting.set(`uri ${String(params?.['uri'])}`, message);
      if (method === 'resources/unsubscribe') lasting.delete(`uri ${String(params?.['uri'])}`);
    },
    isRepeatable: () => initialize !== undefined,
    async repeat(transport) {
      if (!initialize) return;
      const { result, error } = await request(transport, initialize);
      if (!isObject(result)) throw rpcFailure(error);
      transport.useProtocol(String(result['protocolVersion']));
      transport.send(INITIALIZED);
      // Subscribing fails if the server has been removed. The client detects the removal when it
      // requests the changed lists.
      for (const message of lasting.values()) request(transport, message).catch(() => undefined);
    },
    receive(message) {
      const { id } = message;
      if (typeof id !== 'number') return false;
      const waiting = repeated.get(id);
      repeated.delete(id);
      waiting?.resolve(message);
      return waiting !== undefined;
    },
    lost(id, reason) {
      const waiting = repeated.get(id);
      repeated.delete(id);
      waiting?.reject(reason instanceof SessionExpired ? new Error(reason.message) : reason);
      return waiting !== undefined;
    },
  };
}
