import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { SPENDING_INTERVALS, SPEED_INTERVALS } from '../accounts/ledger/trends/trends-api.ts';
import { count, dollars, time } from './http/fields.ts';

const totals = {
  requests: count('Number of rows: each request, and each failed attempt before it.'),
  errors: count('Number of rows that failed.'),
  prompt_tokens: count(),
  completion_tokens: count(),
  cached_tokens: count(),
  cache_write_tokens: count(),
  total_tokens: count(),
  cost: dollars('Cost in US dollars.'),
  cache_saved: Type.Number({
    description:
      'Savings by the providers’ caches, in US dollars; negative if writing to them cost more than reading saved.',
  }),
};

const range = {
  from: time('Start of the first interval, in UTC.'),
  to: time('End of the last interval.'),
};
const group = orNull(Type.String(), 'ID or name of the group; null for requests without one.');
const start = time('Start of the interval.');
const points = Type.Array(closed('SpendingPoint', { start, ...totals }), {
  description: 'Intervals with requests, oldest first.',
});
const trend = { totals: closed('SpendingTotals', totals), points };

export const spending = closed('Spending', {
  ...range,
  interval: oneOf(SPENDING_INTERVALS),
  time_zone: Type.String({ description: 'Time zone in which intervals start.' }),
  ...trend,
  groups: Type.Array(closed('SpendingGroup', { group, ...trend }), {
    description: 'The largest groups. Only the first `series` groups have points.',
  }),
  others: orNull(
    closed('OtherSpending', { groups: count('Number of remaining groups.'), ...trend }),
    'All other groups combined.',
  ),
});

const value = (description?: string) => orNull(Type.Number({ minimum: 0 }), description);
const percentiles = (description: string) =>
  closed('SpeedPercentiles', { p50: value(), p90: value(), p95: value(), p99: value() }, description);
const speeds = {
  answers: count('Number of successful model responses.'),
  latency_ms: percentiles('Duration in milliseconds. All percentiles are accurate to within 5%.'),
  ttft_ms: percentiles('Time to a stream’s first output, in milliseconds.'),
  tokens_per_second: percentiles(
    'Output tokens per second, after the first output of streams. 99% of responses reach at least `p99`.',
  ),
};

export const latency = closed('UsageLatency', {
  ...range,
  interval: oneOf(SPEED_INTERVALS),
  all: closed('LatencySummary', speeds),
  points: Type.Array(closed('LatencyPoint', { start, ...speeds }), {
    description: 'Intervals with requests, oldest first.',
  }),
  groups: Type.Array(closed('LatencyGroup', { group, ...speeds }), {
    description: 'Groups, ordered by number of responses, largest first.',
  }),
});
