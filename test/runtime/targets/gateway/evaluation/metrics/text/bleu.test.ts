import { assert as assertAll, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bleu } from '#gateway/evaluation/metrics/text/bleu.ts';
import { bleuTokens } from '#gateway/evaluation/metrics/text/bleu-tokens.ts';
import { rows, RUNS, texts } from './arbitrary-rows.ts';
import { farOff, readGoldenTexts } from './golden-texts.ts';

const golden = readGoldenTexts();

describe.each(golden.bleu_tokenizers.map((tokenizer, at) => ({ tokenizer, at })))(
  'with the tokenizer $tokenizer',
  ({ tokenizer, at }) => {
    test('sentence scores match sacrebleu', () => {
      const metric = bleu({ tokenizer });
      expect(
        farOff(golden.pairs, (pair) => ({
          found: Object.values(metric.add(pair)),
          wanted: [pair.bleu[at] ?? 0, pair.bleu[at] ?? 0],
        })),
      ).toEqual([]);
      const mean = golden.pairs.reduce((sum, pair) => sum + (pair.bleu[at] ?? 0), 0) / golden.pairs.length;
      expect(metric.result().values['bleu_mean']).toBeCloseTo(mean, 6);
    });

    test('corpus scores match sacrebleu', () => {
      expect(
        farOff(golden.corpora, ({ pairs, bleu: wanted }) => {
          const metric = bleu({ tokenizer });
          for (const number of pairs) metric.add(golden.pairs[number] ?? { prediction: '', reference: '' });
          return { found: [metric.result().values['bleu'] ?? Number.NaN], wanted: [wanted[at] ?? 0] };
        }),
      ).toEqual([]);
    });
  },
);

test('with the default tokenizer, the brevity penalty and precisions match sacrebleu', () => {
  expect(
    farOff(golden.corpora, ({ pairs, precisions, brevity_penalty }) => {
      const metric = bleu({});
      for (const number of pairs) metric.add(golden.pairs[number] ?? { prediction: '', reference: '' });
      const detail = metric.result().detail as unknown as { precisions: number[]; brevity_penalty: number };
      const isScored = precisions.some((precision) => precision > 0);
      return {
        found: [detail.brevity_penalty, ...(isScored ? detail.precisions : [])],
        wanted: [brevity_penalty, ...(isScored ? precisions : [])],
      };
    }),
  ).toEqual([]);
});

test('scores lie between 0 and 100', () => {
  assertAll(
    property(rows, (row) => {
      const score = bleu({}).add(row)['bleu'];
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThan(100 + 1e-9);
    }),
    RUNS,
  );
});

test('a text with tokens scores 100 against itself', () => {
  assertAll(
    property(texts, (text) => {
      const score = bleu({}).add({ prediction: text, reference: text })['bleu'];
      expect(score).toBeCloseTo(bleuTokens(text, '13a').length > 0 ? 100 : 0, 9);
    }),
    RUNS,
  );
});

test('row order does not affect the score', () => {
  const { pairs } = golden;
  const [forward, backward] = [bleu({}), bleu({})];
  for (const pair of pairs) forward.add(pair);
  for (const pair of pairs.toReversed()) backward.add(pair);
  expect(backward.result().values['bleu']).toBe(forward.result().values['bleu']);
});
