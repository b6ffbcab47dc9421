import { AppError } from '#contract/errors.ts';
import { RpcError } from './rpc-error.ts';
import type { ClientMessage, Params } from './rpc-message.ts';

interface AskOptions {
  /** Aborted when the requester is no longer interested. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The connection to the client. */
  readonly way: Way;
}

/** A connection to a client while it lasts. */
interface Way {
  /** Sends a JSON message. */
  readonly tell: (json: string) => void;
}

/** Requests that a server sends to its client. */
export interface ClientRequests {
  /** Sends a request. Rejects with the client's error, or with an AppError if there is no response. */
  ask(method: string, params: Params | undefined, options: AskOptions): Promise<Params>;
  /** Handles a response; one without an open request is late or an error of the client, and is ignored. */
  settle(answer: Extract<ClientMessage, { kind: 'answer' }>): void;
  /** Fails the requests that were sent over a lost connection. */
  readonly lose: (way: Way) => void;
  /** Fails all requests, because the client has disconnected. */
  end(): void;
}

interface Waiting {
  readonly way: Way;
  readonly resolve: (result: Params) => void;
  readonly reject: (error: Error) => void;
}

export function createClientRequests(): ClientRequests {
  const waiting = new Map<unknown, Waiting>();
  let lastId = 0;
  let ended = false;
  const gone = (): AppError => new AppError('CancelledError', 'Client disconnected.');

  return {
    async ask(method, params, { signal, timeoutMs, way }) {
      if (ended) throw gone();
      signal.throwIfAborted();
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<Params>();
      const giveUp = (reason: Error): void => {
        const cancelled = { requestId: id, reason: reason.message };
        way.tell(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled }));
        reject(reason);
      };
      const onAbort = (): void => giveUp(new AppError('CancelledError', 'Request cancelled.'));
      const timer = setTimeout(() => {
        const seconds = Math.round(timeoutMs / 1000);
        giveUp(new AppError('TimeoutError', `The client did not answer ${method} within ${seconds} s.`));
      }, timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.set(id, { way, resolve, reject });
      try {
        way.tell(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) }));
        return await promise;
      } finally {
        waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
    },
    settle({ id, result, error }) {
      if (error) waiting.get(id)?.reject(new RpcError(error.code, error.message, { data: error.data }));
      else waiting.get(id)?.resolve(result ?? {});
    },
    lose(way) {
      for (const one of waiting.values()) if (one.way === way) one.reject(gone());
    },
    end() {
      ended = true;
      for (const { reject } of waiting.values()) reject(gone());
    },
  };
}
