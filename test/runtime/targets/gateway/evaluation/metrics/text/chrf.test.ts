import { assert as assertAll, property } from 'fast-check';
import { expect, test } from 'vitest';
import { chrf, chrfCharacters } from '#gateway/evaluation/metrics/text/chrf.ts';
import { rows, RUNS, texts } from './arbitrary-rows.ts';
import { farOff, readGoldenTexts } from './golden-texts.ts';

const golden = readGoldenTexts();

test('sentence scores match sacrebleu', () => {
  const metric = chrf({});
  expect(
    farOff(golden.pairs, (pair) => ({
      found: Object.values(metric.add(pair)),
      wanted: [...pair.chrf, ...pair.chrf],
    })),
  ).toEqual([]);
  const mean = golden.pairs.reduce((sum, pair) => sum + (pair.chrf[1] ?? 0), 0) / golden.pairs.length;
  expect(metric.result().values['chrf_plus_plus_mean']).toBeCloseTo(mean, 6);
});

test('corpus scores match sacrebleu', () => {
  expect(
    farOff(golden.corpora, ({ pairs, chrf: wanted }) => {
      const metric = chrf({});
      for (const number of pairs) metric.add(golden.pairs[number] ?? { prediction: '', reference: '' });
      const { values } = metric.result();
      return { found: [values['chrf'] ?? Number.NaN, values['chrf_plus_plus'] ?? Number.NaN], wanted };
    }),
  ).toEqual([]);
});

test('scores lie between 0 and 100', () => {
  assertAll(
    property(rows, (row) => {
      for (const score of Object.values(chrf({}).add(row))) {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThan(100 + 1e-9);
      }
    }),
    RUNS,
  );
});

test('a text scores 100 against itself, regardless of whitespace', () => {
  assertAll(
    property(texts, (text) => {
      const score = chrf({}).add({ prediction: chrfCharacters(text), reference: text })['chrf'];
      expect(score).toBeCloseTo(chrfCharacters(text) === '' ? 0 : 100, 9);
    }),
    RUNS,
  );
});
