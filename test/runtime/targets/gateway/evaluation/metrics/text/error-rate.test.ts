import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cer, wer, editDistance } from '#gateway/evaluation/metrics/text/error-rate.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

type Rates = Readonly<Record<'wer' | 'cer', number>>;
type GoldenRates = Rates & {
  readonly pairs: readonly (Rates & { readonly prediction: string; readonly reference: string })[];
};

/** Results of jiwer, created by fixtures/scripts/make_error_rates.py. */
const GOLDEN = JSON.parse(
  readFileSync(join(FIXTURES, 'golden', 'metrics-error-rates.json'), 'utf8'),
) as GoldenRates;

test.each([
  ['wer', wer],
  ['cer', cer],
] as const)('%s matches jiwer for each row and for all rows', (name, make) => {
  const metric = make({});
  const wrong = GOLDEN.pairs.filter(
    (pair) => Math.abs((metric.add(pair)[name] ?? Number.NaN) - pair[name]) > 1e-9,
  );
  expect([GOLDEN.pairs.length > 80, wrong]).toEqual([true, []]);
  expect(metric.result().values[name]).toBeCloseTo(GOLDEN[name], 9);
});

test('a row with an empty reference has no score, and its words count as errors', () => {
  const metric = wer({});
  expect(metric.add({ prediction: 'a b', reference: ' ' })).toEqual({});
  expect(metric.result()).toMatchObject({
    values: { wer: null },
    reasons: { wer: 'All references are empty.' },
  });
  metric.add({ prediction: 'a', reference: 'a\tb c d' });
  expect(metric.result()).toMatchObject({ values: { wer: 5 / 4 }, detail: { edits: 5, reference_units: 4 } });
});

test('texts that would take minutes to compare are rejected', () => {
  const long = Array.from({ length: 20_001 }, () => 'a');
  expect(() => editDistance(long, long)).toThrow('are too long for an error rate');
});
