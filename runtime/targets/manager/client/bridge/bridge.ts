import { messageOf } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { MCP_CODE } from '#serve/errors/mcp-code.ts';
import { isRequestId, type RequestId } from '#serve/mcp/rpc-message.ts';
import { RpcFailure, SessionExpired } from '../../upstream/connection.ts';
import type { RpcMessage } from '../../upstream/rpc-message.ts';
import type { Transport, TransportHooks } from '../../upstream/transport.ts';
import { createHandshake } from './handshake.ts';
import { createRequestIds } from './request-ids.ts';

/** Passes the messages of one client to a running manager, and those of the manager to the client. */
export interface Bridge {
  /** Handles a message of the client. */
  readonly take: (message: RpcMessage) => void;
  /** Resolves when all requests of the client are answered. */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface BridgeOptions {
  /** Opens a connection to the MCP endpoint of the manager. */
  readonly open: (hooks: TransportHooks) => Promise<Transport>;
  /** Sends a message to the client. */
  readonly tell: (message: RpcMessage) => void;
  readonly log: (line: string) => void;
  /** Delay between attempts to reach a manager that was stopped. */
  readonly retryMs?: number | undefined;
}

const RETRY_MS = 2000;
const CANCELLED = 'notifications/cancelled';
const LISTS = ['tools', 'prompts', 'resources'];

/** A request of the client that waits for its response. */
interface Sent {
  readonly id: RequestId;
  readonly message: RpcMessage;
  /** Whether it was sent again after its session had expired. */
  readonly isRepeated: boolean;
}

/** A request of the manager to the client. */
interface Asked {
  readonly id: RequestId;
  readonly from: Transport;
}

/**
 * The session is restored when the manager was restarted: clients on stdio cannot reconnect, and most do not start a server again
 * that has exited. Requests in flight then get an error, unless the manager reported that it did not accept them.
 */
export function createBridge({ open, tell, log, retryMs = RETRY_MS }: BridgeOptions): Bridge {
  // Other IDs than those of the client and the manager, because these are only unique in one session.
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
      // The manager did not accept the request, so that it can be sent again in a new session.
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
      // The manager can have another configuration now.
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
    transport.cancel(number, typeof reason === 'string' ? reason : 'The client cancelled the request.');
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
