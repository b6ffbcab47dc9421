import type { Worker } from 'node:worker_threads';
import { AppError } from '../contract/errors.ts';

/** What goes to a worker thread and comes back: every request has one reply or one error. */
export interface WorkerRequest<Request> {
  readonly id: number;
  readonly request: Request;
}
export type WorkerReply =
  | { readonly id: number; readonly reply: unknown }
  | { readonly id: number; readonly error: string };

/** The calling side of a worker thread. */
export interface WorkerClient<Request> {
  /** Rejects with an InternalError: what the worker threw, or that it ended. */
  readonly ask: (request: Request) => Promise<unknown>;
  readonly alive: () => boolean;
  /** Resolves when the thread has ended by itself, with the reason. */
  readonly died: Promise<AppError>;
  /** Ends the thread in the middle of what it does; there must be no native code running. */
  readonly kill: () => void;
  /** Waits until no native code runs in the thread (ending it there would abort the process), then lets it end. */
  readonly close: () => Promise<void>;
}

export function connectWorker<Request>(worker: Worker): WorkerClient<Request> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const died = Promise.withResolvers<AppError>();
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
  worker.on('exit', () => end(new AppError('InternalError', 'A worker thread exited.')));

  return {
    alive: () => dead === undefined,
    died: died.promise,
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
      // Nothing waits for the end itself: it takes several milliseconds, and a process may exit meanwhile.
      void worker.terminate();
    },
  };
}
