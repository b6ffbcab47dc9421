import type { Static } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { dollarsOf } from '../../shared/money.ts';
import { withoutGroups } from '../../accounts/ledger/trends/sum-points.ts';
import type {
  GroupedSpeeds,
  GroupedTrend,
  SpeedSummary,
  Trend,
  TrendRange,
  TrendTotals,
} from '../../accounts/ledger/trends/trends-api.ts';
import type { SpendingQuery } from './query.ts';
import type { latency, spending } from './schemas.ts';

const rangeView = ({ from, to, interval }: TrendRange) => ({
  from: rfc3339(from),
  to: rfc3339(to),
  interval,
});

const totalsView = (totals: TrendTotals) => ({
  requests: totals.requests,
  errors: totals.errors,
  prompt_tokens: totals.promptTokens,
  completion_tokens: totals.completionTokens,
  cached_tokens: totals.cachedTokens,
  total_tokens: totals.totalTokens,
  cost: dollarsOf(totals.cost),
});

const trendView = ({ totals, points }: Trend) => ({
  totals: totalsView(totals),
  points: points.map((point) => ({ start: rfc3339(point.start), ...totalsView(point) })),
});

/** The first groups, and all others together. */
export function spendingView(
  trend: GroupedTrend,
  { range, top, series }: SpendingQuery,
): Static<typeof spending> {
  const first = trend.groups.slice(0, top);
  const rest = trend.groups.length - first.length;
  return {
    ...rangeView(range),
    ...trendView(trend),
    groups: first.map(({ group, ...one }) => ({ group, ...trendView(one) })),
    others: rest === 0 ? null : { groups: rest, ...trendView(withoutGroups(trend, first, series >= top)) },
  };
}

const speedsView = ({ answers, latency: duration, firstOutput, tokensPerSecond }: SpeedSummary) => ({
  answers,
  latency_ms: { ...duration },
  ttft_ms: { ...firstOutput },
  tokens_per_second: { ...tokensPerSecond },
});

export const latencyView = (
  range: TrendRange,
  { all, points, groups }: GroupedSpeeds,
  top: number,
): Static<typeof latency> => ({
  ...rangeView(range),
  all: speedsView(all),
  points: points.map(({ start, ...one }) => ({ start: rfc3339(start), ...speedsView(one) })),
  groups: groups.slice(0, top).map(({ group, ...one }) => ({ group, ...speedsView(one) })),
});
