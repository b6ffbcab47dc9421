import type { Cancellation } from '#core/limits/cancellation.ts';
import { OpenItems } from '#core/limits/open-items.ts';
import {
  type Connection,
  ConnectionClosed,
  type RequestHeaders,
  TimeoutFailure,
  type Requester,
  RpcFailure,
  type RequestOptions,
} from './connection.ts';
import { deadlineAfter, RequestDeadlines, type TimedRequest } from './request-deadlines.ts';
import { type ShapeOfParams, Malformed, isRecord, record } from '../shapes/shape.ts';
import type { RpcMessage } from './rpc-message.ts';
import { membersOf } from '#core/json/members-of.ts';
import { createUrlElicitations, ELICITATION_COMPLETE, type UrlElicitations } from './url-elicitations.ts';
import { RpcError } from '#serve/mcp/rpc-error.ts';
import { META_KEY } from '#serve/mcp/rpc-message.ts';
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

/** The state of a connection that its requests share. */
interface PeerState {
  readonly pending: OpenItems<unknown, PendingRequest>;
  readonly deadlines: RequestDeadlines;
  readonly cancel: RpcPeerOptions['cancel'];
  readonly urls: UrlElicitations;
}

/** A request in flight. */
class PendingRequest implements OpenRequest, TimedRequest {
  readonly id: number;
  readonly method: string;
  deadline: number;
  readonly #options: RequestOptions;
  readonly #peer: PeerState;
  readonly #response = Promise.withResolvers<ShapeOfParams>();
  readonly #onAbort: (() => void) | undefined;
  /** Number of requests to the client that the server waits for. */
  #holders = 0;

  constructor(id: number, method: string, options: RequestOptions, peer: PeerState) {
    const { timeoutMs, signal } = options;
    this.id = id;
    this.method = method;
    this.deadline = deadlineAfter(timeoutMs);
    this.#options = options;
    this.#peer = peer;
    this.#onAbort = signal && (() => this.#abandon(reasonOf(signal)));
    if (this.#onAbort) signal?.addEventListener('abort', this.#onAbort, { once: true });
    peer.pending.set(id, this);
    peer.deadlines.watch(this.deadline);
  }

  get response(): Promise<ShapeOfParams> {
    return this.#response.promise;
  }

  get requester(): Requester | undefined {
    return this.#options.requester;
  }

  receive(response: RpcMessage): void {
    this.#settle();
    try {
      this.#response.resolve(rpcResult(this.method, response));
    } catch (failure) {
      const { urls } = this.#peer;
      const isFailure = failure instanceof RpcFailure;
      this.#response.reject(isFailure ? urls.failure(this.#options.requester, failure) : failure);
    }
  }

  fail(reason: Error): void {
    this.#settle();
    this.#response.reject(reason);
  }

  onProgress(progress: ShapeOfParams): void {
    if (this.#holders === 0) this.#restart(this.#options.timeoutMs);
    this.#options.onProgress?.(progress);
  }

  onAcknowledged(accepted: ShapeOfParams): void {
    this.#options.onAcknowledged?.(accepted);
  }

  onDeadline(): void {
    const { extend, timeoutMs } = this.#options;
    const more = extend?.() ?? 0;
    if (more > 0) this.#restart(more);
    else {
      const message = `The server did not respond to ${this.method} within ${timeoutMs} ms.`;
      this.#abandon(new TimeoutFailure(message));
    }
  }

  /** Pauses the timeout. The returned function restarts it with its full duration. */
  hold(): () => void {
    this.#holders += 1;
    this.deadline = Infinity;
    return () => {
      this.#holders -= 1;
      if (this.#holders === 0) this.#restart(this.#options.timeoutMs);
    };
  }

  #restart(milliseconds: number): void {
    this.deadline = deadlineAfter(milliseconds);
    this.#peer.deadlines.watch(this.deadline);
  }

  #abandon(error: Error): void {
    // The specification does not allow clients to cancel `initialize`.
    if (this.method !== 'initialize') this.#peer.cancel(this.id, error.message);
    this.fail(error);
  }

  #settle(): void {
    this.#peer.pending.delete(this.id);
    if (this.#onAbort) this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** The notification with which a server acknowledges a subscription, whose ID is that of the request. */
const SUBSCRIPTION_ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

export function createRpcPeer({ send, cancel, onNotification }: RpcPeerOptions): RpcPeer {
  const pending = new OpenItems<unknown, PendingRequest>();
  const deadlines = new RequestDeadlines(() => pending.values());
  const urls = createUrlElicitations();
  const peer: PeerState = { pending, deadlines, cancel, urls };
  const relay = createServerRequestRelay({ send, open: pending, urls });
  let lastId = 0;
  let ended: string | undefined;

  const request: RpcPeer['request'] = (method, params, options) => {
    const { signal, onProgress, headers } = options;
    if (ended !== undefined) return Promise.reject(new ConnectionClosed(ended));
    if (signal?.aborted) return Promise.reject(reasonOf(signal));
    lastId += 1;
    const id = lastId;
    const { response } = new PendingRequest(id, method, options, peer);
    send({ jsonrpc: '2.0', id, method, params: onProgress ? withToken(params, id) : params }, headers);
    return response;
  };

  const fail: RpcPeer['fail'] = (id, reason) => {
    const request = pending.get(id);
    request?.fail(reason);
    return request !== undefined;
  };

  const receiveNotification = (method: string, params: ShapeOfParams | undefined): boolean => {
    if (method === 'notifications/progress' && params) {
      const request = pending.get(params['progressToken']);
      request?.onProgress(params);
      return request !== undefined;
    }
    if (method === SUBSCRIPTION_ACKNOWLEDGED) {
      const { [META_KEY.subscriptionId]: id } = membersOf(params?.['_meta']);
      const request = pending.get(id);
      request?.onAcknowledged(params ?? {});
      return request !== undefined;
    }
    if (method === 'notifications/cancelled') relay.cancel(params?.['requestId']);
    else if (method === ELICITATION_COMPLETE) urls.complete(params);
    else onNotification(method, params);
    return false;
  };

  const receiveResponse = (response: RpcMessage): boolean => {
    const request = pending.get(response.id);
    // A response without a matching request is late, or a server error.
    request?.receive(response);
    return request !== undefined;
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
      deadlines.stop();
      for (const request of pending.values()) request.fail(new ConnectionClosed(ended));
    },
  };
}

const withToken = (params: ShapeOfParams | undefined, id: number): ShapeOfParams => ({
  ...params,
  _meta: { ...membersOf(params?.['_meta']), progressToken: id },
});

function reasonOf(signal: Cancellation | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('The request was canceled.', { cause: reason });
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
  readonly urls: UrlElicitations;
}

/** Forwards server requests to the client of the related call. The server always gets a response. */
interface ServerRequestRelay {
  /** Forwards a request. `related` is the ID of the call on whose stream it arrived, if known. */
  handle(id: RpcMessage['id'], request: ServerRequest, related: number | undefined): Promise<void>;
  /** Cancels a request whose response the server no longer needs. */
  cancel(id: unknown): void;
  end(): void;
}

function createServerRequestRelay({ send, open, urls }: ServerRequestRelayOptions): ServerRequestRelay {
  const forwarded = new OpenItems<unknown, AbortController>();
  const forward = async (
    request: ServerRequest,
    related: number | undefined,
    stop: AbortSignal,
  ): Promise<ShapeOfParams> => {
    const inFlight = open.values().flatMap(({ requester }) => requester ?? []);
    const requester = chooseRequester(request.method, open.get(related)?.requester, inFlight);
    urls.request(requester, request.method, request.params);
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

/** Whether a value is nested so deeply that clients or the manager could fail to process it. */
export const isTooDeep = (value: unknown): boolean => isDeeperThan(value, MAX_LEVELS);

/** Whether lists and objects are nested deeper than `levels`. Does not descend any further. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) if (isDeeperThan(item, levels - 1)) return true;
  return false;
}
