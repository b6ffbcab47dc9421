import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Engine, openEngine } from '#encoder/engine/engine.ts';
import { tokenRows } from '#encoder/math/inference.ts';
import { TASKS } from '#encoder/tasks/index.ts';
import { expectClose, TOLERANCE } from '../../../helpers/close.ts';
import { type GoldenText, readGolden } from '../../../helpers/golden.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { builtExecutable } from '../../../helpers/built.ts';

/** These models have golden data in another format, and separate tests. */
const OTHERS =
  /^(sentence|nli$|qa$|splade$|sparse-queries$|fill-mask$|gliner-|multi-vector$|m3$|static$|two-forms$|shapes$|patches$|regions$|boxes$|clip|siglip)/;
const MODELS = readdirSync(join(FIXTURES, 'models')).filter((name) => !OTHERS.test(name));

test('golden data exists for many models', () => {
  expect(MODELS.length).toBeGreaterThanOrEqual(10);
});

describe.each(MODELS)('%s', (model) => {
  const golden = readGolden(model);
  let engine: Engine | undefined;
  afterAll(() => engine?.close());
  const open = async (): Promise<Engine> =>
    (engine ??= await openEngine(builtExecutable(model), {
      threads: () => 1,
      prepack: true,
    }));

  test(`results of all ${golden.length} texts in one call match the single-text results of other libraries`, async () => {
    const { manifest, infer } = await open();
    const inferences = await infer(golden.map(({ text }) => text));
    const width = manifest.width;
    for (const [index, expected] of golden.entries()) {
      const inference = inferences[index];
      if (!inference) throw new Error(`no result for ${expected.id}`);
      expect([...inference.text.ids], expected.id).toEqual(expected.input_ids);
      expectClose([...inference.values], flatten(expected), expected.id, toleranceOf(model));
      if (inference.text.details) expectTokens(tokenRows(inference, width), expected);
    }
  });

  test('labels and scores match those of the reference', async () => {
    const { manifest, infer } = await open();
    const task = TASKS[manifest.modelType];
    const inferences = await infer(golden.map(({ text }) => text));
    for (const [index, inference] of inferences.entries()) {
      const expected = golden[index];
      if (!expected) throw new Error('more results than texts');
      const result = task.result(inference, manifest, {}) as Result;
      expect(result.predicted_label).toBe(expected.predicted_label);
      const kept = expected.labels?.filter((_, at) => expected.special_tokens_mask[at] === 0);
      expect(result.tokens?.map(({ label }) => label)).toEqual(kept);
      expectClose(
        [...(result.scores ?? [])],
        result.scores ? (expected.scores as number[]) : [],
        expected.id,
        toleranceOf(model),
      );
    }
  });
});

interface Result {
  readonly predicted_label?: string;
  readonly scores?: Float32Array;
  readonly tokens?: { readonly label: string }[];
}

function flatten(golden: GoldenText): number[] {
  return ((golden.embeddings ?? golden.logits ?? []) as (number | number[])[]).flat();
}

/** A float16 model computes with three digits, and its summation order differs by batch. */
const toleranceOf = (model: string): number => (model === 'float16' ? 2e-2 : TOLERANCE);

function expectTokens(rows: ReturnType<typeof tokenRows>, golden: GoldenText): void {
  const kept = golden.input_ids.flatMap((_, at) => (golden.special_tokens_mask[at] === 0 ? [at] : []));
  expect(rows.map(({ info }) => info.token)).toEqual(kept.map((at) => golden.tokens[at]));
  expect(rows.map(({ info }) => [info.start, info.end])).toEqual(kept.map((at) => golden.offsets[at]));
}
