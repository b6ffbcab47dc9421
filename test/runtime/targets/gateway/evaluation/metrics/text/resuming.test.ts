import { assert as assertAll, array, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnyJson, MetricMaker } from '#gateway/evaluation/metrics/metric.ts';
import { bleu } from '#gateway/evaluation/metrics/text/bleu.ts';
import { chrf } from '#gateway/evaluation/metrics/text/chrf.ts';
import { cer, wer } from '#gateway/evaluation/metrics/text/error-rate.ts';
import { exactMatch } from '#gateway/evaluation/metrics/text/exact-match.ts';
import { meteor } from '#gateway/evaluation/metrics/text/meteor.ts';
import { rouge } from '#gateway/evaluation/metrics/text/rouge.ts';
import type { TextRow } from '#gateway/evaluation/metrics/text/text-row.ts';
import { tokenLength } from '#gateway/evaluation/metrics/text/token-length.ts';
import { rows } from './arbitrary-rows.ts';

const METRICS: { name: string; maker: MetricMaker<TextRow> }[] = [
  { name: 'bleu', maker: bleu },
  { name: 'cer', maker: cer },
  { name: 'chrf', maker: chrf },
  { name: 'exact_match', maker: exactMatch },
  { name: 'meteor', maker: meteor },
  { name: 'rouge', maker: rouge },
  { name: 'token_length', maker: tokenLength },
  { name: 'wer', maker: wer },
];

describe.each(METRICS)('$name', ({ maker }) => {
  test('resumes from its saved state with the same result', () => {
    assertAll(
      property(array(rows, { maxLength: 8 }), nat(8), (all, cut) => {
        const whole = maker({});
        for (const row of all) whole.add(row);
        const before = maker({});
        for (const row of all.slice(0, cut)) before.add(row);
        const saved = JSON.stringify(before.save());
        const after = maker({}, JSON.parse(saved) as AnyJson);
        for (const row of all.slice(cut)) after.add(row);
        expect(after.result()).toEqual(whole.result());
        // Its saved state does not change with it.
        expect(JSON.stringify(before.save())).toBe(saved);
      }),
      { seed: 3, numRuns: 50 },
    );
  });

  test('returns the same metric names without rows as with rows, with a reason for each', () => {
    const metric = maker({});
    const { values, reasons } = metric.result();
    expect(Object.keys(values).length).toBeGreaterThan(0);
    expect(new Set(Object.values(values))).toEqual(new Set([null]));
    expect(Object.keys(reasons)).toEqual(Object.keys(values));
    const scores = metric.add({ prediction: 'a cat', reference: 'the cat' });
    const some = metric.result();
    expect(Object.keys(some.values).sort()).toEqual(Object.keys(values).sort());
    expect(some.reasons).toEqual({});
    expect(Object.keys(values)).toEqual(expect.arrayContaining(Object.keys(scores)));
  });

  test('rejects a text that would exhaust its memory, and stays unchanged', () => {
    const metric = maker({});
    metric.add({ prediction: 'a', reference: 'b' });
    const before = metric.save();
    const long = 'x'.repeat(250_001);
    expect(() => metric.add({ prediction: long, reference: 'x' })).toThrow(
      'The prediction has 250001 characters. Text metrics support at most 250000;',
    );
    expect(() => metric.add({ prediction: 'x', reference: long })).toThrow('The reference has 250001');
    expect(metric.save()).toEqual(before);
  });
});
