import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Batching } from '#contract/batching.ts';
import { planEntities } from '#core/model/entity-options.ts';
import { openEngine } from '#encoder/engine/engine.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { builtAssets } from '../helpers/built.ts';
import { largestDifference, TOLERANCE } from '../helpers/close.ts';
import {
  dropAttentionMask,
  editGraph,
  quantizeByHand,
  quantizeFirstProduct,
} from '../helpers/edited-graph.ts';
import { numbersIn } from '../helpers/numbers-in.ts';
import { copyModel } from '../helpers/model-folder.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { DEFAULT_LIMITS } from '../helpers/default-limits.ts';

const folder = useTempFolder();
/** `images.test.ts` tests models that read images. */
const MODELS = readdirSync(join(FIXTURES, 'models')).filter(
  (name) => !['shapes', 'patches', 'boxes'].includes(name),
);

/** Texts of very different lengths, so that a batch of them has much padding. */
const WORDS = [
  'good',
  'terrible',
  'Ada',
  'London',
  'the',
  'film',
  'was',
  'naïve',
  '東京',
  '🙂',
  'unbelievable',
];
const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 40 })
  .map((words) => words.join(' '));
const texts = fc.array(text, { minLength: 2, maxLength: 8 });

/** Such a model rounds to 11 bits between its operators, and the order of additions affects the rounding. */
const FLOAT16_TOLERANCE = 2e-3;

/** Expects the same result for each text: alone, with all others, and in concurrent requests to a server. */
async function expectOneResultPerText(assets: string): Promise<void> {
  const engine = await openEngine(assets, { threads: () => 1, prepack: false, cacheDir: TEST_CACHE });
  const served = await openServingEngine(assets, { limits: DEFAULT_LIMITS, cacheDir: TEST_CACHE });
  const tolerance = engine.manifest.precision === 'float16' ? FLOAT16_TOLERANCE : TOLERANCE;
  const { mask, entities } = engine.manifest;
  const masked = (one: string): string => (mask ? `${one} ${mask.token}` : one);
  const labels = entities && ['person', 'place'];
  const wanted = planEntities(engine.manifest, { labels, threshold: 0 });
  const serve = async (...inputs: string[]): Promise<number[][]> => {
    const view = { kind: 'result', format: 'json', options: { entities: wanted } } as const;
    const { results } = await served.run({ inputs: inputs.map((one) => ({ text: one })), view, labels });
    return results.map((bytes) => numbersIn(JSON.parse(new TextDecoder().decode(bytes))));
  };
  try {
    await fc.assert(
      fc.asyncProperty(texts, async (words) => {
        const list = words.map(masked);
        const together = await engine.infer(list, { labels });
        const servedTogether = await serve(...list);
        const servedAtOnce = (await Promise.all(list.map((one) => serve(one)))).flat();
        for (const [at, one] of list.entries()) {
          const [alone] = await engine.infer([one], { labels });
          expect(
            largestDifference([...(together[at]?.values ?? [])], [...(alone?.values ?? [])]),
          ).toBeLessThan(tolerance);
          const [servedAlone = []] = await serve(one);
          for (const other of [servedTogether[at], servedAtOnce[at]])
            expect(largestDifference(other, servedAlone)).toBeLessThan(tolerance);
        }
      }),
      { numRuns: 2 },
    );
  } finally {
    await Promise.all([engine.close(), served.close()]);
  }
}

// oxlint-disable-next-line vitest/expect-expect -- the function contains the assertions.
test.each(MODELS)('a text has the same result alone and in a batch: %s', async (model) => {
  await expectOneResultPerText(builtAssets(model));
});

describe('models whose results depend on the batch', () => {
  const EDITS: [name: string, edit: typeof dropAttentionMask, expected: Batching, shown: string][] = [
    [
      'no attention mask',
      dropAttentionMask,
      'equal_length',
      'only texts with the same number of tokens together',
    ],
    ['dynamic quantization', quantizeFirstProduct, 'single', 'one text at a time'],
    ['a manual scale over the batch', quantizeByHand, 'single', 'one text at a time'],
  ];

  test.each(EDITS)(
    'with %s, only texts that do not affect each other share a batch',
    async (_name, edit, expected, shown) => {
      const config = copyModel(folder(), 'embedder', { model_type: 'embedding' });
      editGraph(join(folder(), 'model', 'model.onnx'), edit);
      const built = await runCli(['build', '-f', config, '--no-build', '--cache-dir', TEST_CACHE], {
        cwd: folder(),
      });
      expect(built.exitCode, built.stderr).toBe(0);
      expect(built.stderr).toContain(shown);
      expect(built.stdout).toMatch(new RegExp(`^Batches +${shown}`, 'm'));
      const manifest = join(folder(), 'model.assets', 'manifest.json');
      const written = JSON.parse(readFileSync(manifest, 'utf8'));
      expect(written.batching).toBe(expected);
      await expectOneResultPerText(join(folder(), 'model.assets'));
      // Without the rule, the same model returns different results, which proves that the check above is effective.
      writeFileSync(manifest, JSON.stringify({ ...written, batching: 'any' }));
      await expect(expectOneResultPerText(join(folder(), 'model.assets'))).rejects.toThrow('Property failed');
    },
  );
});
