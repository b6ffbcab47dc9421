import { assert as assertAll, property } from 'fast-check';
import { expect, test } from 'vitest';
import { meteor, meteorTokens } from '#gateway/evaluation/metrics/text/meteor.ts';
import { rows, RUNS, texts } from './arbitrary-rows.ts';
import { farOff, readGoldenTexts } from './golden-texts.ts';

test('scores match NLTK without synonyms', () => {
  const { pairs } = readGoldenTexts();
  const metric = meteor({});
  expect(
    farOff(pairs, (pair) => ({ found: Object.values(metric.add(pair)), wanted: [pair.meteor] })),
  ).toEqual([]);
  const mean = pairs.reduce((sum, pair) => sum + pair.meteor, 0) / pairs.length;
  expect(metric.result().values['meteor_mean']).toBeCloseTo(mean, 6);
});

test('scores lie between 0 and 1', () => {
  assertAll(
    property(rows, (row) => {
      const score = meteor({}).add(row)['meteor_mean'];
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }),
    RUNS,
  );
});

test('a text of n words scores 1 - 0.5 / n³ against itself', () => {
  assertAll(
    property(texts, (text) => {
      const words = meteorTokens(text).length;
      const score = meteor({}).add({ prediction: text, reference: text })['meteor_mean'];
      expect(score).toBeCloseTo(words === 0 ? 0 : 1 - 0.5 / words ** 3, 9);
    }),
    RUNS,
  );
});
