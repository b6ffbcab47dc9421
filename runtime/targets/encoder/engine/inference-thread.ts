import { AppError } from '../../../contract/errors.ts';
import type { TokenBatch } from '../../../core/padding.ts';
import { spawnWorker } from '../../../platform/spawn-worker.ts';
import type { OpenModel, RawOutput, WorkerReply, WorkerRequest } from './protocol.ts';

export interface InferenceThread {
  /** Opens a model; resolves when it can run, rejects when it cannot be loaded. */
  open(model: Omit<OpenModel, 'kind'>): Promise<void>;
  run(batch: TokenBatch): Promise<RawOutput>;
  /** Waits until no native code runs in the thread (ending it there would abort the process), then lets it end. */
  readonly close: () => Promise<void>;
}

/** ONNX Runtime runs on the thread that calls it, so sessions live in threads of their own. */
export function startInferenceThread(): InferenceThread {
  const worker = spawnWorker('encoder', new URL('./worker.ts', import.meta.url));
  const waiting = new Map<number, PromiseWithResolvers<RawOutput>>();
  let opened: PromiseWithResolvers<void> | undefined;
  let dead: AppError | undefined;
  let nextId = 0;

  const send = (request: WorkerRequest): void => worker.postMessage(request);
  const settle = (id: number): PromiseWithResolvers<RawOutput> | undefined => {
    const promise = waiting.get(id);
    waiting.delete(id);
    return promise;
  };
  const fail = (error: AppError): void => {
    dead ??= error;
    opened?.reject(error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const onReply = (message: WorkerReply): void => {
    switch (message.kind) {
      case 'ready':
        return opened?.resolve();
      case 'unusable':
        return fail(new AppError('InternalError', `Cannot load the model: ${message.message}`));
      case 'done':
        return settle(message.id)?.resolve(message.output);
      case 'failed':
        return settle(message.id)?.reject(
          new AppError('InternalError', `Error running model: ${message.message}`),
        );
    }
  };
  worker.on('message', onReply);
  worker.on('error', (error) => fail(AppError.from(error)));
  worker.on('exit', () => fail(new AppError('InternalError', 'The inference thread ended.')));

  return {
    async open(model) {
      opened = Promise.withResolvers<void>();
      if (dead) throw dead;
      send({ kind: 'open', ...model });
      await opened.promise;
    },
    async run(batch) {
      if (dead) throw dead;
      const id = nextId++;
      const promise = Promise.withResolvers<RawOutput>();
      waiting.set(id, promise);
      send({ kind: 'run', id, batch });
      return await promise.promise;
    },
    async close() {
      const running = [...waiting.values()].map(({ promise }) => promise);
      await Promise.allSettled([opened?.promise, ...running]);
      // Nothing waits for the end itself: it takes several milliseconds, and a process may exit meanwhile.
      void worker.terminate();
    },
  };
}
