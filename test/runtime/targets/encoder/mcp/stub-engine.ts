import { setImmediate } from 'node:timers/promises';
import type { EngineRequest, ServingEngine } from '#encoder/engine/serving.ts';
import { standInEngine } from '#test/helpers/stand-in-engine.ts';

/** An engine with configured results, for states that cannot be reproduced with a real one. */
export function stubEngine(run: (request: EngineRequest) => Promise<Uint8Array[]>): ServingEngine {
  return standInEngine({ name: 'stub' }, async (request) => {
    const results = await run(request);
    return {
      results,
      tokens: results.map(() => 1),
      truncated: [],
      timings: { tokenization: 0, queue: 0, inference: 0, total: 0 },
    };
  });
}

/** A result that matches the schema of sequence classification. */
export const RESULT = Buffer.from('{"logits":[0,1],"scores":[0.25,0.75],"predicted_index":1}');

/** An engine whose requests wait until `release` is called or their signal is aborted. */
export function waitingEngine(): {
  readonly engine: ServingEngine;
  readonly waiting: () => number;
  readonly release: () => void;
  /** Resolves when this number of requests is waiting. */
  readonly untilWaiting: (count: number) => Promise<void>;
} {
  const released = Promise.withResolvers<void>();
  let waiting = 0;
  const engine = stubEngine(async ({ inputs, signal }) => {
    waiting += 1;
    const gone = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => gone.reject(new Error('the client left')));
    try {
      await Promise.race([released.promise, gone.promise]);
      return inputs.map(() => RESULT);
    } finally {
      waiting -= 1;
    }
  });
  return {
    engine,
    waiting: () => waiting,
    release: () => released.resolve(),
    async untilWaiting(count) {
      const reached = (): boolean => waiting === count;
      while (!reached()) await setImmediate();
    },
  };
}
