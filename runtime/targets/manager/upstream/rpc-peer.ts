import { OpenItems } from '../../../core/limits/open-items.ts';
import { type Connection, ConnectionClosed, TimeoutFailure } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import { createQuestionDesk, type OpenRequest } from './question-desk.ts';
import { createPausableTimer } from './pausable-timer.ts';
import { rpcResult } from './rpc-result.ts';
import type { RpcMessage } from './rpc-message.ts';
import { membersOf } from '../../../core/json/members-of.ts';

export interface RpcPeerOptions {
  readonly send: (message: RpcMessage) => void;
  readonly cancel: (id: number, reason: string) => void;
  readonly onNotification: (method: string, params: Params | undefined) => void;
}

/** One end of a JSON-RPC connection: matches answers to requests. */
export interface RpcPeer {
  readonly request: Connection['request'];
  readonly notify: (method: string, params?: Params) => void;
  /** `related` is the id of the request that it came with, where the connection tells. */
  readonly take: (message: RpcMessage, related?: number) => void;
  /** Gives up one request, for a reason other than its time or its caller. */
  readonly lose: (id: number, reason: Error) => void;
  /** Nothing more will come: rejects what waits, and whatever is asked from now on. */
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
  const waiting = new OpenItems<unknown, Pending>();
  const desk = createQuestionDesk({ send, open: waiting });
  let lastId = 0;
  let ended: string | undefined;

  const request: RpcPeer['request'] = (method, params, options) => {
    const { timeoutMs, signal, onProgress, asker } = options;
    if (ended !== undefined) return Promise.reject(new ConnectionClosed(ended));
    if (signal?.aborted) return Promise.reject(reasonOf(signal));
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Params>();
    const giveUp = (error: Error): void => {
      settle();
      // The specification forbids to cancel this one.
      if (method !== 'initialize') cancel(id, error.message);
      reject(error);
    };
    const onTimeout = (): void =>
      giveUp(new TimeoutFailure(`The server did not answer ${method} within ${timeoutMs} ms.`));
    const onAbort = (): void => giveUp(reasonOf(signal));
    const timer = createPausableTimer(timeoutMs, onTimeout);
    const settle = (): void => {
      waiting.delete(id);
      timer.stop();
      signal?.removeEventListener('abort', onAbort);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    waiting.set(id, {
      method,
      resolve,
      reject,
      settle,
      asker,
      hold: timer.hold,
      onProgress(progress) {
        timer.refresh();
        onProgress?.(progress);
      },
    });
    send({ jsonrpc: '2.0', id, method, params: onProgress ? withToken(params, id) : params });
    return promise;
  };

  const lose: RpcPeer['lose'] = (id, reason) => {
    const lost = waiting.get(id);
    lost?.settle();
    lost?.reject(reason);
  };

  const hear = (method: string, params: Params | undefined): void => {
    if (method === 'notifications/progress' && params) {
      waiting.get(params['progressToken'])?.onProgress(params);
    } else if (method === 'notifications/cancelled') desk.cancel(params?.['requestId']);
    else onNotification(method, params);
  };

  const settleWith = ({ id, result, error }: RpcMessage): void => {
    const pending = waiting.get(id);
    // An answer that nobody waits for came too late, or is the server's mistake.
    if (!pending) return;
    pending.settle();
    try {
      pending.resolve(rpcResult(pending.method, { result, error }));
    } catch (failure) {
      pending.reject(failure);
    }
  };

  return {
    request,
    lose,
    notify(method, params) {
      if (ended === undefined) send({ jsonrpc: '2.0', method, params });
    },
    take(message, related) {
      const { id, method, params } = message;
      if (method === undefined) settleWith(message);
      else if (id === undefined) hear(method, params);
      else void desk.answer(id, { method, params }, related);
    },
    end(message) {
      ended ??= message;
      desk.end();
      for (const pending of waiting.values()) {
        pending.settle();
        pending.reject(new ConnectionClosed(ended));
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
