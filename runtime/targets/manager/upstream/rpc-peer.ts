import { OpenItems } from '#core/limits/open-items.ts';
import { type Connection, ConnectionClosed, type RequestHeaders, TimeoutFailure } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import { createServerRequestRelay, type OpenRequest } from './server-request-relay.ts';
import { createPausableTimer } from './pausable-timer.ts';
import { rpcResult } from './rpc-result.ts';
import type { RpcMessage } from './rpc-message.ts';
import { membersOf } from '#core/json/members-of.ts';

export interface RpcPeerOptions {
  readonly send: (message: RpcMessage, requestHeaders?: RequestHeaders) => void;
  readonly cancel: (id: number, reason: string) => void;
  readonly onNotification: (method: string, params: Params | undefined) => void;
}

/** One end of a JSON-RPC connection, which matches responses to requests. */
export interface RpcPeer {
  readonly request: Connection['request'];
  readonly notify: (method: string, params?: Params) => void;
  /**
   * Handles a message. `related` is the ID of the request on whose stream it arrived, if the transport knows it. Returns whether a
   * request in flight needed it.
   */
  readonly receive: (message: RpcMessage, related?: number) => boolean;
  /** Rejects one request, because its response was lost. Returns whether it was in flight. */
  readonly fail: (id: number, reason: Error) => boolean;
  /** Rejects all requests in flight and all later ones, because the connection is closed. */
  readonly end: (message: string) => void;
}

interface Pending extends OpenRequest {
  readonly method: string;
  readonly resolve: (result: Params) => void;
  readonly reject: (error: unknown) => void;
  readonly settle: () => void;
  readonly onProgress: (progress: Params) => void;
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
    const { promise, resolve, reject } = Promise.withResolvers<Params>();
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

  const receiveNotification = (method: string, params: Params | undefined): boolean => {
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
    // A response without a request arrived too late, or is a mistake of the server.
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

const withToken = (params: Params | undefined, id: number): Params => ({
  ...params,
  _meta: { ...membersOf(params?.['_meta']), progressToken: id },
});

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('The request was cancelled.', { cause: reason });
}
