/* oxlint-disable vitest/expect-expect -- expectVectors contains the assertions. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import type { SentenceVariant } from '../../../helpers/golden-sentences.ts';
import { copyModel, writeConfig } from '../../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../../helpers/paths.ts';
import { runCliHere as runCli } from '../../../helpers/cli-here.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { appAround, type OpenApp, useApp } from './http/open-app.ts';
import {
  expectVectors,
  MAX_LENGTH,
  predictVectors,
  prompts,
  texts,
  variants,
  variantWith,
} from './sentence-vectors.ts';
import { DEFAULT_LIMITS } from '../../../helpers/default-limits.ts';

/** The fixture with other settings, with its HTTP app. */
async function build(
  folder: string,
  fields: Record<string, unknown>,
  includePrompt = true,
): Promise<OpenApp> {
  copyModel(folder, 'sentence');
  const file = join(folder, 'model', '1_Pooling', 'config.json');
  const saved = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...saved, include_prompt: includePrompt }));
  const config = writeConfig(folder, { model_type: 'sentence_embedding', ...fields });
  const args = ['build', '--no-build', '-q', '-f', config, '--cache-dir', TEST_CACHE];
  expect((await runCli(args, { cwd: folder })).stderr).toBe('');
  const options = { limits: DEFAULT_LIMITS, workers: 1, threads: 1 };
  return appAround(await openServingEngine(join(folder, 'model.assets'), options));
}

test('the golden data contains every pooling mode, with and without each setting', () => {
  expect(variants.length).toBeGreaterThanOrEqual(25);
  const values = (key: keyof SentenceVariant): Set<unknown> =>
    new Set(variants.map((variant) => variant[key]));
  expect(values('pooling')).toEqual(new Set(['mean', 'cls', 'max', 'last']));
  expect(values('normalize')).toEqual(new Set([true, false]));
  expect(values('include_prompt')).toEqual(new Set([true, false]));
  expect(values('prompt_name')).toEqual(new Set([null, ...Object.keys(prompts)]));
  expect(values('dimensions').size).toBeGreaterThanOrEqual(4);
});

const groups = Map.groupBy(
  variants.filter(({ max_length }) => max_length === MAX_LENGTH),
  ({ pooling, include_prompt }) => `${pooling}, prompts ${include_prompt ? 'count' : 'do not count'}`,
);

describe.each([...groups])('a model built with pooling %s', (_, group) => {
  const folder = useTempFolder();
  const [{ pooling, include_prompt } = { pooling: 'mean', include_prompt: true }] = group;

  test('returns the same vectors as sentence-transformers', async () => {
    const open = await build(folder(), { pooling }, include_prompt);
    try {
      for (const variant of group) {
        const { normalize, dimensions, prompt_name } = variant;
        expectVectors(await predictVectors(open, { normalize, dimensions, prompt_name }), variant);
        if (prompt_name === null) continue;
        // A prompt in the request has the same effect as one of the model, also if its tokens do not count.
        const prompt = prompts[prompt_name];
        expectVectors(await predictVectors(open, { normalize, dimensions, prompt }), variant);
      }
    } finally {
      await open.close();
    }
  });
});

describe('a model with built-in pooling', () => {
  const open = useApp('sentence-pooled');
  const variant = variantWith({ normalize: true, max_length: 128 });

  test('is used as is', async () => {
    expectVectors(await predictVectors(open(), {}), variant);
    const { pooling, normalize } = (await (await open().app.request('/model')).json()) as Record<
      string,
      unknown
    >;
    expect({ pooling, normalize }).toEqual({ pooling: 'none', normalize: false });
  });

  test('can truncate its vectors and normalize them again', async () => {
    const cut = variant.vectors.map((vector) => vector.slice(0, 5));
    expectVectors(await predictVectors(open(), { dimensions: 5 }), { ...variant, vectors: cut });
    const scaled = cut.map((vector) => vector.map((value) => value / Math.hypot(...vector)));
    const body = { dimensions: 5, normalize: true };
    expectVectors(await predictVectors(open(), body), { ...variant, vectors: scaled });
  });

  test('has only the empty prompts query and document', async () => {
    for (const prompt_name of ['query', 'document']) {
      expectVectors(await predictVectors(open(), { prompt_name }), variant);
    }
    const response = await open().post('/predict', { inputs: ['a'], prompt_name: 'passage' });
    expect([response.status, await response.text()]).toEqual([
      422,
      'prompt_name must be one of query, document, not "passage"',
    ]);
  });
});

describe('settings in the config', () => {
  const folder = useTempFolder();

  test('are the defaults, and a request can override them', async () => {
    const config = {
      normalize: false,
      dimensions: 20,
      prompts: { ...prompts, none: '' },
      default_prompt_name: 'query',
    };
    const open = await build(folder(), config, false);
    try {
      const whole = variantWith({ normalize: false, prompt_name: 'query', include_prompt: false });
      const cut = { ...whole, vectors: whole.vectors.map((vector) => vector.slice(0, 20)) };
      expectVectors(await predictVectors(open, {}), cut);
      expectVectors(await predictVectors(open, { dimensions: 32 }), whole);
      const plain = variantWith({ normalize: false, dimensions: 20 });
      for (const prompt_name of ['', 'none']) {
        expectVectors(await predictVectors(open, { prompt_name }), plain);
      }
      // Token IDs have no prompt, so none of them is excluded.
      const tokenized = await open.post('/tokenize', { inputs: texts, prompt_name: '' });
      const input = ((await tokenized.json()) as { id: number }[][]).map((row) => row.map(({ id }) => id));
      const byIds = await open.post('/v1/embeddings', { input, normalize: false });
      const { data } = (await byIds.json()) as { data: { embedding: number[] }[] };
      expectVectors(
        data.map(({ embedding }) => embedding),
        plain,
      );
      expect(await (await open.app.request('/model')).json()).toMatchObject({
        dimensions: 20,
        normalize: false,
        default_prompt_name: 'query',
      });
    } finally {
      await open.close();
    }
  });
});
