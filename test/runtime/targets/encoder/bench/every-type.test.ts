import { expect, test } from 'vitest';
import { hasImageInputs, MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { putLoad } from '#encoder/bench/load.ts';
import { runBench } from '#encoder/bench/run-bench.ts';
import { makeTexts } from '#encoder/bench/texts.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { builtAssets } from '#test/helpers/built.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';

const MODELS = [
  'embedder',
  'sentence',
  'multi-vector',
  'splade',
  'fill-mask',
  'sentiment',
  'reranker',
  'nli',
  'qa',
  'ner',
  'gliner-span',
  'clip',
];

test('every model type that reads texts supports the bench requests, with the intended number of tokens', async () => {
  const types = new Set<string>();
  for (const model of MODELS) {
    const counts: number[] = [];
    let truncated = 0;
    const engine = await openServingEngine(builtAssets(model), {
      limits: DEFAULT_LIMITS,
      workers: 1,
      observer: {
        onBatch: () => {},
        onWorkerDeath: () => {},
        onRequest(request) {
          counts.push(request.tokens / request.inputs);
          truncated += request.truncated;
        },
      },
    });
    try {
      const { modelType, tokenizer, entities } = engine.manifest;
      types.add(modelType);
      for (const tokens of [Math.min(48, tokenizer.maxLength), tokenizer.maxLength]) {
        const { texts } = await makeTexts(engine, tokens);
        counts.length = 0;
        const { latencies } = await putLoad(engine, texts, texts.length, 0);
        expect(latencies.length, model).toBe(texts.length);
        // Models that read a fixed number of words per window read the labels again in each window.
        expect(Math.max(...counts), model).toBeLessThanOrEqual(entities ? Infinity : tokens);
        expect(Math.min(...counts), `${model}: ${counts.join()} of ${tokens}`).toBeGreaterThan(tokens * 0.7);
      }
      expect(truncated, model).toBe(0);
    } finally {
      await engine.close();
    }
  }
  expect([...types].toSorted()).toEqual(MODEL_TYPE_NAMES.filter((type) => !hasImageInputs(type)).toSorted());
});

test('a model that reads images cannot be measured', async () => {
  const output = { out: () => {}, err: () => {} };
  for (const model of ['shapes', 'clip-labels']) {
    const running = runBench(builtAssets(model), { limits: DEFAULT_LIMITS }, 1000, output);
    await expect(running).rejects.toThrow(
      `bench measures models that read texts, but ${model} reads images. `,
    );
  }
});
