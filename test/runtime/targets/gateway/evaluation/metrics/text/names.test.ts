import { expect, test } from 'vitest';
import { MISSING_TEXT_METRICS } from '#gateway/evaluation/metrics/text/text-row.ts';

test('comet is listed as unavailable with a reason', () => {
  expect(MISSING_TEXT_METRICS['comet']).toMatch(/^comet is not available, /);
});
