import { assert as assertAll, property } from 'fast-check';
import { expect, test } from 'vitest';
import { rouge, rougeTokens } from '#gateway/evaluation/metrics/text/rouge.ts';
import { rows, RUNS, texts } from './arbitrary-rows.ts';
import { farOff, readGoldenTexts } from './golden-texts.ts';

test.each([
  { useStemmer: false, field: 'rouge' as const },
  { useStemmer: true, field: 'rouge_stemmed' as const },
])('F-measure, precision and recall match rouge-score: $field', ({ useStemmer, field }) => {
  const { pairs } = readGoldenTexts();
  const metric = rouge({ useStemmer });
  expect(
    farOff(pairs, (pair) => ({ found: Object.values(metric.add(pair)), wanted: pair[field].flat() })),
  ).toEqual([]);
  const wanted = pairs.reduce((sum, pair) => sum + (pair[field][3]?.[0] ?? 0), 0) / pairs.length;
  expect(metric.result().values['rougeLsum_mean']).toBeCloseTo(wanted, 6);
});

test('stemming changes scores and is off by default', () => {
  const row = { prediction: 'running', reference: 'runs' };
  expect(rouge({}).add(row)['rouge1_mean']).toBe(0);
  expect(rouge({ useStemmer: true }).add(row)['rouge1_mean']).toBe(1);
});

test('scores lie between 0 and 1, and swapping the texts swaps precision and recall', () => {
  assertAll(
    property(rows, ({ prediction, reference }) => {
      const scores = rouge({}).add({ prediction, reference });
      const turned = rouge({}).add({ prediction: reference, reference: prediction });
      for (const [name, score] of Object.entries(scores)) {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        // The union over lines uses the reference's lines and is not symmetric.
        const mirrored =
          turned[name.replace(/precision|recall/, (word) => (word === 'recall' ? 'precision' : 'recall'))];
        expect(name.startsWith('rougeLsum') || mirrored === score).toBe(true);
      }
    }),
    RUNS,
  );
});

test('a text with words scores 1 against itself', () => {
  assertAll(
    property(texts, (text) => {
      const scores = rouge({}).add({ prediction: text, reference: text });
      const hasWords = rougeTokens(text, false).length > 0;
      expect(scores).toMatchObject({ rouge1_mean: Number(hasWords), rougeL_mean: Number(hasWords) });
      expect(scores['rougeLsum_mean']).toBe(Number(hasWords));
    }),
    RUNS,
  );
});

test('texts that would take minutes to compare are rejected, and the metric stays unchanged', () => {
  const metric = rouge({});
  const before = metric.save();
  const long = 'word '.repeat(9000);
  expect(() => metric.add({ prediction: long, reference: long })).toThrow(
    'The prediction has 9000 words and the reference 9000. ROUGE supports at most 67108864 word pairs;',
  );
  expect(metric.save()).toEqual(before);
  expect(metric.add({ prediction: long, reference: 'word' })['rouge1_recall_mean']).toBe(1);
});

test('lines are limited, too, and lines without words do not count', () => {
  const lines = 'word\n'.repeat(3000);
  expect(() => rouge({}).add({ prediction: lines, reference: lines })).toThrow(
    'The prediction has 3000 lines and the reference 3000. ROUGE supports at most 8388608 line pairs;',
  );
  // Comparing each of these lines with each other one would take hours.
  const empty = `a${'\n'.repeat(200_000)}b`;
  expect(rouge({}).add({ prediction: empty, reference: `${empty}\n…` })).toMatchObject({
    rougeL_mean: 1,
    rougeLsum_mean: 1,
  });
});
