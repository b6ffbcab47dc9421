import { expect, test } from 'vitest';
import { MISSING_TEXT_METRICS, TEXT_METRICS } from '../../../../../runtime/core/metrics/text/names.ts';

test('every name of the reference is there, or says why it is not', () => {
  expect(Object.keys(TEXT_METRICS)).toEqual(
    expect.arrayContaining([
      'rouge',
      'meteor',
      'bleu',
      'bertscore',
      'token_length',
      'g_eval_summarization',
      'g_eval_translation',
      'g_eval_translation_noref',
    ]),
  );
  expect(MISSING_TEXT_METRICS['comet']).toMatch(/^comet is not possible: /);
  expect(Object.keys(MISSING_TEXT_METRICS).filter((name) => name in TEXT_METRICS)).toEqual([]);
});

test('only the judge without a reference can do without ground truth', () => {
  const free = Object.entries(TEXT_METRICS).filter(([, needs]) => !needs.includes('reference'));
  expect(free).toEqual([['g_eval_translation_noref', ['input', 'judge']]]);
});
