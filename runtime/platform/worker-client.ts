import type { Worker } from 'node:worker_threads';
import { AppError } from '#contract/errors.ts';

/** Messages to and from a worker thread: every request has one reply or one error. */
export interface WorkerRequest<Request> {
  readonly id: number;
  readonly request: Request;
}
export type WorkerReply =
  | { readonly id: number; readonly reply: unknown }
  | { readonly id: number; readonly error: string };

/** The caller's side of a worker thread. */
export interface WorkerClient<Request> {
  /** Sends a request. Rejects with an InternalError: the error of the worker, or its exit. */
  readonly ask: (request: Request) => Promise<unknown>;
  readonly alive: () => boolean;
  /** Resolves with the reason when the thread exits by itself. */
  readonly died: Promise<AppError>;
  /** Resolves when the thread has ended, by itself or not, and its memory is freed. */
  readonly ended: Promise<void>;
  /** Terminates the thread immediately; it must not be running native code. */
  readonly kill: () => void;
  /** Waits until the thread runs no native code (terminating it there would abort the process), then lets it exit. */
  readonly close: () => Promise<void>;
}

export function connectWorker<Request>(worker: Worker): WorkerClient<Request> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const died = Promise.withResolvers<AppError>();
  const ended = Promise.withResolvers<void>();
  let dead: AppError | undefined;
  let closing = false;
  let nextId = 0;

  const end = (error: AppError): void => {
    if (dead) return;
    dead = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    if (!closing) died.resolve(error);
  };
  worker.on('message', (message: WorkerReply) => {
    const promise = waiting.get(message.id);
    waiting.delete(message.id);
    if ('error' in message) promise?.reject(new AppError('InternalError', message.error));
    else promise?.resolve(message.reply);
  });
  worker.on('error', (error) => end(AppError.from(error)));
  worker.on('exit', () => {
    end(new AppError('InternalError', 'A worker thread exited.'));
    ended.resolve();
  });

  return {
    alive: () => dead === undefined,
    died: died.promise,
    ended: ended.promise,
    async ask(request) {
      if (dead) throw dead;
      const id = nextId++;
      const promise = Promise.withResolvers<unknown>();
      waiting.set(id, promise);
      worker.postMessage({ id, request } satisfies WorkerRequest<Request>);
      return await promise.promise;
    },
    kill: () => void worker.terminate(),
    async close() {
      closing = true;
      await Promise.allSettled([...waiting.values()].map(({ promise }) => promise));
      // Do not wait for termination: it takes several milliseconds, and the process may exit in the meantime.
      void worker.terminate();
    },
  };
}
