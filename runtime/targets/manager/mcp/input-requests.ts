import { isObject } from '#core/json/is-object.ts';
import { AppError } from '#contract/errors.ts';
import type { Requester } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';

/** The requests of servers during one call, which wait for responses of the client. */
export interface InputRequests {
  readonly request: Requester['request'];
  /** Resolves when there is an open request. */
  readonly requested: () => Promise<void>;
  /** Returns the open requests by their keys. */
  readonly open: () => Params;
  /** Resolves requests with the results of the client, by the same keys. A request without a result stays open. */
  readonly respond: (results: Params) => void;
  /** Rejects all open and later requests. */
  readonly end: () => void;
}

interface OpenRequest {
  readonly request: Params;
  readonly resolve: (result: Params) => void;
  readonly reject: (error: Error) => void;
}

export function createInputRequests(): InputRequests {
  const waiting = new Map<string, OpenRequest>();
  let lastKey = 0;
  let ended = false;
  let wake = (): void => undefined;

  return {
    async request(method, params, signal) {
      signal.throwIfAborted();
      if (ended) throw new AppError('CancelledError', 'Client disconnected.');
      lastKey += 1;
      const key = `request-${lastKey}`;
      const { promise, resolve, reject } = Promise.withResolvers<Params>();
      const onAbort = (): void => reject(new AppError('CancelledError', 'The request was cancelled.'));
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.set(key, { request: { method, ...(params && { params }) }, resolve, reject });
      wake();
      try {
        return await promise;
      } finally {
        waiting.delete(key);
        signal.removeEventListener('abort', onAbort);
      }
    },
    async requested() {
      if (waiting.size === 0) await new Promise<void>((resolve) => (wake = resolve));
      // Requests that a server sends together are passed to the client together.
      await new Promise(setImmediate);
    },
    open: () => Object.fromEntries([...waiting].map(([key, { request }]) => [key, request])),
    respond(results) {
      for (const [key, { resolve }] of waiting) {
        const result = results[key];
        if (!isObject(result)) continue;
        waiting.delete(key);
        resolve(result);
      }
    },
    end() {
      ended = true;
      for (const { reject } of waiting.values()) {
        reject(new AppError('CancelledError', 'The client did not respond.'));
      }
    },
  };
}
