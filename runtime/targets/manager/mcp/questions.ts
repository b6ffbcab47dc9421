import { isObject } from '../../../core/json/is-object.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Asker } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';

/** What servers ask during one call, until its client answers. */
export interface Questions {
  readonly ask: Asker['ask'];
  /** Resolves as soon as there is something to ask. */
  readonly asked: () => Promise<void>;
  /** The requests without an answer, by a key for each. */
  readonly open: () => Params;
  /** Takes results by the same keys; a question without one stays open. */
  readonly answer: (results: Params) => void;
  /** There will be no answers any more. */
  readonly end: () => void;
}

interface Waiting {
  readonly request: Params;
  readonly resolve: (result: Params) => void;
  readonly reject: (error: Error) => void;
}

export function createQuestions(): Questions {
  const waiting = new Map<string, Waiting>();
  let lastKey = 0;
  let ended = false;
  let wake = (): void => undefined;

  return {
    async ask(method, params, signal) {
      signal.throwIfAborted();
      if (ended) throw new AppError('CancelledError', 'The client has left.');
      lastKey += 1;
      const key = `question-${lastKey}`;
      const { promise, resolve, reject } = Promise.withResolvers<Params>();
      const onAbort = (): void => reject(new AppError('CancelledError', 'It was cancelled.'));
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
    async asked() {
      if (waiting.size === 0) await new Promise<void>((resolve) => (wake = resolve));
      // A server that asks several things at once has all of them answered at once.
      await new Promise(setImmediate);
    },
    open: () => Object.fromEntries([...waiting].map(([key, { request }]) => [key, request])),
    answer(results) {
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
        reject(new AppError('CancelledError', 'The client did not answer.'));
      }
    },
  };
}
