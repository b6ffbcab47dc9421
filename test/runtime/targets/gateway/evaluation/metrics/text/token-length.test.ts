import { expect, test } from 'vitest';
import { tokenLength } from '#gateway/evaluation/metrics/text/token-length.ts';
import { farOff, readGoldenTexts } from './golden-texts.ts';

test('token counts match the reference values in the golden data', () => {
  const { pairs } = readGoldenTexts();
  const metric = tokenLength({});
  expect(
    farOff(pairs, (pair) => ({ found: Object.values(metric.add(pair)), wanted: pair.token_length })),
  ).toEqual([]);
});

test('the means of prediction and reference lengths are reported under separate names', () => {
  const metric = tokenLength({});
  metric.add({ prediction: 'one two three', reference: '' });
  metric.add({ prediction: 'one', reference: 'one two' });
  expect(metric.result().values).toEqual({ pred_token_length_mean: 2.5, ref_token_length_mean: 1 });
});
