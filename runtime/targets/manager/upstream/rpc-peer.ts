import { OpenItems } from '#core/limits/open-items.ts';
import {
  type Connection,
  ConnectionClosed,
  type RequestHeaders,
  TimeoutFailure,
  type Requester,
  RpcFailure,
} from './connection.ts';
import { type ShapeOfParams, Malformed, isRecord, record } from '../shapes/shape.ts';
import type { RpcMessage } from './rpc-message.ts';
import { membersOf } from '#core/json/members-of.ts';
import { RpcError } from '#serve/mcp/rpc-error.ts';
import { requestFromClient, chooseRequester, type ServerRequest } from './server-requests.ts';

export interface RpcPeerOptions {
  readonly send: (message: RpcMessage, requestHeaders?: RequestHeaders) => void;
  readonly cancel: (id: number, reason: string) => void;
  readonly onNotification: (method: string, params: ShapeOfParams | undefined) => void;
}

/** One end of a JSON-RPC connection. It matches responses to requests. */
export interface RpcPeer {
  readonly request: Connection['request'];
  readonly notify: (method: string, params?: ShapeOfParams) => void;
  /**
   * Handles a message. `related` is the ID of the request on whose stream it arrived, if the transport knows
   * it. Returns whether a request in flight was waiting for it.
   */
  readonly receive: (message: RpcMessage, related?: number) => boolean;
  /** Rejects a request whose response was lost. Returns whether it was in flight. */
  readonly fail: (id: number, reason: Error) => boolean;
  /** Rejects all current and future requests, because the connection is closed. */
  readonly end: (message: string) => void;
}

interface Pending extends OpenRequest {
  readonly method: string;
  readonly resolve: (result: ShapeOfParams) => void;
  readonly reject: (error: unknown) => void;
  readonly settle: () => void;
  readonly onProgress: (progress: ShapeOfParams) => void;
}

export function createRpcPeer({ send, cancel, onNotification }: RpcPeerOptions): RpcPeer {
  const pending = new OpenItems<unknown, Pending>();
  const relay = createServerRequestRelay({ send, open: pending });
  let lastId = 0;
  let ended: string | undefined;

  const request: RpcPeer['request'] = (method, params, options) => {
    const { timeoutMs, extend, signal, onProgress, requester, headers } = options;
    if (ended !== undefined) return Promise.reject(new ConnectionClosed(ended));
    if (signal?.aborted) return Promise.reject(reasonOf(signal));
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ShapeOfParams>();
    const abandon = (error: Error): void => {
      settle();
      // The specification does not allow clients to cancel `initialize`.
      if (method !== 'initialize') cancel(id, error.message);
      reject(error);
    };
    const onTimeout = (): void => {
      const more = extend?.() ?? 0;
      if (more > 0) timer.extend(more);
      else abandon(new TimeoutFailure(`The server did not respond to ${method} within ${timeoutMs} ms.`));
    };
    const onAbort = (): void => abandon(reasonOf(signal));
    const timer = createPausableTimer(timeoutMs, onTimeout);
    const settle = (): void => {
      pending.delete(id);
      timer.stop();
      signal?.removeEventListener('abort', onAbort);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    pending.set(id, {
      method,
      resolve,
      reject,
      settle,
      requester,
      hold: timer.hold,
      onProgress(progress) {
        timer.refresh();
        onProgress?.(progress);
      },
    });
    const sent = onProgress ? withToken(params, id) : params;
    send({ jsonrpc: '2.0', id, method, params: sent }, headers);
    return promise;
  };

  const fail: RpcPeer['fail'] = (id, reason) => {
    const request = pending.get(id);
    request?.settle();
    request?.reject(reason);
    return request !== undefined;
  };

  const receiveNotification = (method: string, params: ShapeOfParams | undefined): boolean => {
    if (method === 'notifications/progress' && params) {
      const request = pending.get(params['progressToken']);
      request?.onProgress(params);
      return request !== undefined;
    }
    if (method === 'notifications/cancelled') relay.cancel(params?.['requestId']);
    else onNotification(method, params);
    return false;
  };

  const receiveResponse = ({ id, result, error }: RpcMessage): boolean => {
    const request = pending.get(id);
    // A response without a matching request is late, or a server error.
    if (!request) return false;
    request.settle();
    try {
      request.resolve(rpcResult(request.method, { result, error }));
    } catch (failure) {
      request.reject(failure);
    }
    return true;
  };

  return {
    request,
    fail,
    notify(method, params) {
      if (ended === undefined) send({ jsonrpc: '2.0', method, params });
    },
    receive(message, related) {
      const { id, method, params } = message;
      if (method === undefined) return receiveResponse(message);
      if (id === undefined) return receiveNotification(method, params);
      void relay.handle(id, { method, params }, related);
      return false;
    },
    end(message) {
      ended ??= message;
      relay.end();
      for (const { settle, reject } of pending.values()) {
        settle();
        reject(new ConnectionClosed(ended));
      }
    },
  };
}

const withToken = (params: ShapeOfParams | undefined, id: number): ShapeOfParams => ({
  ...params,
  _meta: { ...membersOf(params?.['_meta']), progressToken: id },
});

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('The request was canceled.', { cause: reason });
}

/** A timer that can be paused. */
interface PausableTimer {
  /** Restarts the timer with its full duration. */
  readonly refresh: () => void;
  /** Pauses the timer. Returns a function that resumes it with its full duration. */
  readonly hold: () => () => void;
  /** Restarts the timer once with a different duration. */
  readonly extend: (milliseconds: number) => void;
  readonly stop: () => void;
}

/** Maximum timer delay in Node; a longer timeout never expires. */
const MAX_DELAY_MS = 2 ** 31 - 1;

function createPausableTimer(milliseconds: number, onTimeout: () => void): PausableTimer {
  const start = (): NodeJS.Timeout | undefined =>
    milliseconds <= MAX_DELAY_MS ? setTimeout(onTimeout, milliseconds) : undefined;
  let timer = start();
  let holders = 0;
  let stopped = false;
  return {
    refresh() {
      if (holders === 0) timer?.refresh();
    },
    hold() {
      holders += 1;
      clearTimeout(timer);
      return () => {
        holders -= 1;
        if (holders === 0 && !stopped) timer = start();
      };
    },
    extend(more) {
      clearTimeout(timer);
      if (holders === 0 && !stopped) timer = setTimeout(onTimeout, more);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** A server request in flight. */
interface OpenRequest {
  readonly requester: Requester | undefined;
  /** Pauses its timeout until the returned function is called. */
  readonly hold: () => () => void;
}

interface ServerRequestRelayOptions {
  readonly send: (message: RpcMessage) => void;
  readonly open: Pick<OpenItems<unknown, OpenRequest>, 'get' | 'values'>;
}

/** Forwards server requests to the client of the related call. The server always gets a response. */
interface ServerRequestRelay {
  /** Forwards a request. `related` is the ID of the call on whose stream it arrived, if known. */
  handle(id: RpcMessage['id'], request: ServerRequest, related: number | undefined): Promise<void>;
  /** Cancels a request whose response the server no longer needs. */
  cancel(id: unknown): void;
  end(): void;
}

function createServerRequestRelay({ send, open }: ServerRequestRelayOptions): ServerRequestRelay {
  const forwarded = new Map<unknown, AbortController>();
  const forward = async (
    request: ServerRequest,
    related: number | undefined,
    stop: AbortSignal,
  ): Promise<ShapeOfParams> => {
    const inFlight = open.values().flatMap(({ requester }) => requester ?? []);
    const requester = chooseRequester(request.method, open.get(related)?.requester, inFlight);
    const release = open
      .values()
      .filter((call) => call.requester?.identity === requester.identity)
      .map((call) => call.hold());
    try {
      return await requestFromClient(requester, request, stop);
    } finally {
      for (const resume of release) resume();
    }
  };
  return {
    async handle(id, request, related) {
      if (request.method === 'ping') return send({ jsonrpc: '2.0', id, result: {} });
      const stop = new AbortController();
      forwarded.set(id, stop);
      try {
        const result = await forward(request, related, stop.signal);
        if (!stop.signal.aborted) send({ jsonrpc: '2.0', id, result });
      } catch (error) {
        const { code, message, data } = RpcError.from(error);
        if (!stop.signal.aborted) {
          send({ jsonrpc: '2.0', id, error: { code, message, data } });
        }
      } finally {
        forwarded.delete(id);
      }
    },
    cancel: (id) => forwarded.get(id)?.abort(),
    end() {
      for (const stop of forwarded.values()) stop.abort();
    },
  };
}

/** Requests whose result is `{}`. Some servers return something else, which is ignored. */
const WITHOUT_RESULT = new Set(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/**
 * Maximum nesting depth of results, as for requests. Recursive functions fail at a depth of several thousand
 * levels.
 */
const MAX_LEVELS = 500;

/** Returns the result in a response. Throws an RpcFailure for an error, and Malformed for an invalid response. */
function rpcResult(method: string, { result, error }: Pick<RpcMessage, 'result' | 'error'>): ShapeOfParams {
  if (error !== undefined && error !== null) throw rpcFailure(error);
  if (isDeeperThan(result, MAX_LEVELS)) throw new Malformed('', `is nested deeper than ${MAX_LEVELS} levels`);
  if (isRecord(result)) return result;
  return WITHOUT_RESULT.has(method) ? {} : record(result);
}

const INTERNAL_ERROR = -32_603;

/** Converts a server error. Parts that violate JSON-RPC are replaced: clients reject codes that are not integers. */
export function rpcFailure(error: unknown): RpcFailure {
  const { code, message, data } = isRecord(error) ? error : { message: error };
  return new RpcFailure(
    Number.isSafeInteger(code) ? Number(code) : INTERNAL_ERROR,
    typeof message === 'string' && message !== ''
      ? message
      : 'The server reported an error without a message.',
    isDeeperThan(data, MAX_LEVELS) ? undefined : data,
  );
}

/** Whether lists and objects are nested deeper than `levels`. Does not descend any further. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isDeeperThan(item, levels - 1));
}
