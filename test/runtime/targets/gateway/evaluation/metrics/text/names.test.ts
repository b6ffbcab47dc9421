import { expect, test } from 'vitest';
import { MISSING_TEXT_METRICS } from '#gateway/evaluation/metrics/text/text-row.ts';

test('a metric that is not available has a reason', () => {
  expect(MISSING_TEXT_METRICS['comet']).toMatch(/^comet is not available: /);
});
