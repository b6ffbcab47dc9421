import { afterEach, describe, expect, test } from 'vitest';
import type { EngineRequest, ServingEngine } from '#encoder/engine/serving.ts';
import { openEngine } from '#encoder/engine/engine.ts';
import { openServingEngine, type ServingOptions } from '#encoder/engine/serving-engine.ts';
import type { TransformLimits } from '#contract/transform.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { transformedModel } from '#test/helpers/transformed-model.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';

const VIEW: EngineRequest['view'] = { kind: 'result', format: 'json', options: {} };

interface Sequence {
  readonly logits: number[];
  readonly scores: number[];
  readonly predicted_index: number;
  readonly predicted_label: string;
}

const folder = useTempFolder();
let open: ServingEngine[] = [];
afterEach(async () => {
  await Promise.all(open.map((engine) => engine.close()));
  open = [];
});

async function start(
  model: string,
  source: string,
  {
    limits,
    ...options
  }: Partial<Omit<ServingOptions, 'limits'>> & { limits?: Partial<TransformLimits> } = {},
): Promise<ServingEngine> {
  const path = await transformedModel(folder(), model, source, limits);
  const engine = await openServingEngine(path, { ...options, limits: DEFAULT_LIMITS });
  open.push(engine);
  return engine;
}

async function ask<Result>(engine: ServingEngine, ...texts: string[]): Promise<Result[]> {
  const { results } = await engine.run({ inputs: texts.map((text) => ({ text })), view: VIEW });
  return results.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Result);
}

describe('a served model with a transform', () => {
  test('returns scores: the label is the one with the highest score, and logits are unchanged', async () => {
    const source = 'function Postprocess(logits) return 0 - logits end';
    const engine = await start('sentiment', source);
    const [result] = await ask<Sequence>(engine, 'a wonderful film');
    expect(result?.logits[1]).toBeGreaterThan(0);
    expect(result?.scores).toEqual(result?.logits.map((logit) => -logit));
    expect(result).toMatchObject({ predicted_index: 0, predicted_label: 'NEGATIVE' });
  });

  test('returns indices: scores are still the softmax', async () => {
    const source = 'function Postprocess(logits) return (0 - logits):argmax(2) end';
    const engine = await start('sentiment', source);
    const [result] = await ask<Sequence>(engine, 'a wonderful film');
    expect(result).toMatchObject({ predicted_index: 0, predicted_label: 'NEGATIVE' });
    expect(result?.scores[1]).toBeGreaterThan(0.5);
  });

  test('returns token labels; its input includes special tokens', async () => {
    const source = `
      function Postprocess(logits)
        local shape = logits:shape()
        -- Every token, [CLS] too, gets the label of its place.
        return logits:argmax(3) * 0 + Tensor{{0, 1, 2, 3}}
      end`;
    const engine = await start('ner', source);
    const [result] = await ask<{ tokens: { label: string }[] }>(engine, 'Anna sings');
    expect(result?.tokens.map(({ label }) => label)).toEqual(['B-PER', 'I-PER']);
  });

  test('returns vectors with another width, which are then normalized', async () => {
    const source = 'function Postprocess(t) return t:truncate_axis(3, 2) * 0 + Tensor{3, 4} end';
    const engine = await start('embedder', source);
    const [plain] = await ask<{ embeddings: { embedding: number[] }[] }>(engine, 'fresh bread');
    expect(plain?.embeddings.map(({ embedding }) => embedding)).toEqual([
      [3, 4],
      [3, 4],
    ]);
    const { results } = await engine.run({
      inputs: [{ text: 'fresh bread' }],
      view: { kind: 'vector', format: 'json', normalize: true },
    });
    const [x, y] = JSON.parse(new TextDecoder().decode(results[0])) as number[];
    expect([x, y].map((value) => value?.toFixed(5))).toEqual(['0.60000', '0.80000']);
  });

  test('fails for one text, and the other texts get results', async () => {
    const source = `
      function Postprocess(logits)
        if logits[1][2] > 0 then error("too good") end
        return logits
      end`;
    const engine = await start('sentiment', source, { workers: 1, threads: 1 });
    const good = ask(engine, 'a wonderful film');
    const bad = Array.from({ length: 20 }, () => ask(engine, 'a terrible film'));
    await expect(good).rejects.toMatchObject({
      code: 'InternalError',
      message: 'The transform failed: test.lua:3: too good',
    });
    expect((await Promise.all(bad)).flat()).toHaveLength(20);
  });

  test('returns the wrong shape, and the error states the required one', async () => {
    const engine = await start('sentiment', 'function Postprocess(t) return t:sum_axis(1) end');
    await expect(ask(engine, 'a film')).rejects.toThrow(
      'Postprocess must return a tensor of shape [1, 2] or [1] for an input of [1, 2], not [2]',
    );
  });

  test('exceeds its time limit, so only its own text fails and only its thread restarts', async () => {
    const deaths: string[] = [];
    const observer = {
      onBatch: () => {},
      onRequest: () => {},
      onWorkerDeath: (reason: string) => void deaths.push(reason),
    };
    const source = `
      function Postprocess(logits)
        if logits[1][2] > 0 then string.rep("", math.maxinteger) end
        return logits
      end`;
    const options = { workers: 1, threads: 1, observer, limits: { seconds: 0.3 } };
    const engine = await start('sentiment', source, options);
    const stuck = ask(engine, 'a wonderful film');
    const others = Array.from({ length: 20 }, () => ask(engine, 'a terrible film'));
    await expect(stuck).rejects.toThrow(
      'The transform failed: it exceeded its time limit of 0.3 s (transform_limits.seconds)',
    );
    expect((await Promise.all(others)).flat()).toHaveLength(20);
    // The script is stopped at its limit, or the thread is terminated if that takes too long.
    expect(deaths.length).toBeLessThanOrEqual(1);
    expect((await ask(engine, 'a terrible film')).length).toBe(1);
  });

  test('is not valid Lua, and the server does not start', async () => {
    await expect(start('sentiment', 'function (')).rejects.toThrow(
      'Cannot load the model: The transform failed: test.lua:1:',
    );
  });
});

describe('infer with a transform', () => {
  test("applies the transform, and fails with the transform's error message", async () => {
    const run = async (source: string) => {
      const path = await transformedModel(folder(), 'sentiment', source);
      const engine = await openEngine(path, { threads: () => 1, prepack: false });
      try {
        return await engine.infer(['a film', 'a wonderful film']);
      } finally {
        await engine.close();
      }
    };
    const inferences = await run('function Postprocess(t) return t * 2 end');
    for (const { values, transformed } of inferences) {
      expect([...(transformed?.data ?? [])]).toEqual([...values].map((value) => value * 2));
    }
    await expect(run('function Postprocess(t) return t.x end')).rejects.toThrow(
      'The transform failed: test.lua:1:',
    );
  });
});
