import { assert as assertAll, property } from 'fast-check';
import { expect, test } from 'vitest';
import { exactMatch } from '#gateway/evaluation/metrics/text/exact-match.ts';
import { RUNS, texts } from './arbitrary-rows.ts';
import { farOff, readGoldenTexts } from './golden-texts.ts';

test("rows are compared by Python's equality and by SQuAD's normalization rules", () => {
  const { pairs } = readGoldenTexts();
  expect(new Set(pairs.map(({ exact_match }) => exact_match.join())).size).toBe(3);
  const metric = exactMatch({});
  expect(
    farOff(pairs, (pair) => ({ found: Object.values(metric.add(pair)), wanted: pair.exact_match })),
  ).toEqual([]);
  const share = (at: number) =>
    pairs.reduce((sum, { exact_match }) => sum + (exact_match[at] ?? 0), 0) / pairs.length;
  expect(metric.result().values).toEqual({ exact_match: share(0), exact_match_normalized: share(1) });
});

test('a text matches itself', () => {
  assertAll(
    property(texts, (text) => {
      const scores = exactMatch({}).add({ prediction: text, reference: text });
      expect(scores).toEqual({ exact_match: 1, exact_match_normalized: 1 });
    }),
    RUNS,
  );
});
