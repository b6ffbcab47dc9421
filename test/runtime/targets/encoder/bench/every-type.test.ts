import { expect, test } from 'vitest';
import { hasImageInputs, MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { planInputs } from '#encoder/bench/inputs.ts';
import { putLoad } from '#encoder/bench/load.ts';
import { benchRequest } from '#encoder/bench/request.ts';
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
        const texts = await makeTexts(engine, tokens);
        const requests = texts.map((text) => benchRequest(engine.manifest, text));
        counts.length = 0;
        const { latencies } = await putLoad(engine, requests, requests.length, 0);
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

const IMAGE_MODELS = ['shapes', 'patches', 'regions', 'boxes', 'clip', 'clip-labels'];

test('every model type that reads images supports the bench requests, with images of several sizes', async () => {
  const types = new Set<string>();
  for (const model of IMAGE_MODELS) {
    const engine = await openServingEngine(builtAssets(model), { limits: DEFAULT_LIMITS, workers: 1 });
    try {
      types.add(engine.manifest.modelType);
      const plan = await planInputs(engine, undefined);
      const images = plan.filter(({ kind }) => kind === 'images');
      expect(images.map(({ size }) => size)).toEqual([
        { width: 320, height: 240 },
        { width: 640, height: 480 },
        { width: 1280, height: 960 },
      ]);
      expect(plan.some(({ kind }) => kind === 'texts')).toBe(model === 'clip');
      for (const { requests } of images) {
        const { latencies } = await putLoad(engine, requests, requests.length, 0);
        expect(latencies.length, model).toBe(requests.length);
      }
    } finally {
      await engine.close();
    }
  }
  expect([...types].toSorted()).toEqual(
    MODEL_TYPE_NAMES.filter((type) => hasImageInputs(type) || type === 'image_text_embedding').toSorted(),
  );
});

test('sizes of images that the limits do not allow are not measured', async () => {
  const planFor = async (images: typeof DEFAULT_LIMITS.images) => {
    const engine = await openServingEngine(builtAssets('shapes'), {
      limits: { ...DEFAULT_LIMITS, images },
      workers: 1,
    });
    try {
      return await planInputs(engine, undefined);
    } finally {
      await engine.close();
    }
  };
  const { images } = DEFAULT_LIMITS;
  expect((await planFor({ ...images, pixels: 400_000 })).length).toBe(2);
  await expect(planFor({ ...images, pixels: 1000 })).rejects.toThrow(
    'Images can have at most 1000 pixels, but the smallest that bench draws has 320 x 240. Increase --max-image-pixels, or pass images with --input.',
  );
  await expect(planFor({ ...images, bytes: 1000 })).rejects.toThrow(
    /^Images can have at most 1000 bytes, but one that bench draws with 320 x 240 pixels has \d+\. Increase --max-image-bytes, or pass images with --input\.$/,
  );
});
