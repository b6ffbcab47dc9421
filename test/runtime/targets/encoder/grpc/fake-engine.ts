import { AppError } from '#contract/errors.ts';
import type { EngineRequest, ServingEngine } from '#encoder/engine/serving.ts';
import { standInEngine } from '#test/helpers/stand-in-engine.ts';

const TIMINGS = { tokenization: 0, queue: 0, inference: 0, total: 0 };

export interface FakeEngine extends ServingEngine {
  /** Resolves when a request has arrived. */
  readonly asked: Promise<EngineRequest>;
  /** Resolves when that request is canceled. */
  readonly cancelled: Promise<void>;
}

/** An engine that succeeds or fails as configured, or works until it is aborted. */
export function fakeEngine(outcome?: AppError | Uint8Array): FakeEngine {
  const [asked, cancelled] = [Promise.withResolvers<EngineRequest>(), Promise.withResolvers<void>()];
  const engine = standInEngine({ name: 'fake', version: '0.1.0' }, (request) => {
    asked.resolve(request);
    return new Promise((resolve, reject) => {
      if (outcome instanceof AppError) reject(outcome);
      else if (outcome) resolve({ results: [outcome], tokens: [3], truncated: [], timings: TIMINGS });
      request.signal?.addEventListener('abort', () => {
        cancelled.resolve();
        reject(new AppError('CancelledError', 'Request canceled.'));
      });
    });
  });
  return { ...engine, asked: asked.promise, cancelled: cancelled.promise };
}
