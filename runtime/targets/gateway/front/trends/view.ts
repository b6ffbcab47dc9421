import type { Static } from 'typebox';
import { rfc3339 } from '../../../../core/time/rfc3339.ts';
import { dollarsOf } from '../../shared/money.ts';
import { mergeTrends } from '../../accounts/ledger/trends/merge-trends.ts';
import type {
  GroupedSpeeds,
  GroupedTrend,
  SpeedSummary,
  Trend,
  TrendRange,
  TrendTotals,
} from '../../accounts/ledger/trends/trends-api.ts';
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
  points: points.map(({ start, ...sums }) => ({ start: rfc3339(start), ...totalsView(sums) })),
});

/** The first groups, and all others together. */
export function spendingView(range: TrendRange, trend: GroupedTrend, top: number): Static<typeof spending> {
  const rest = trend.groups.slice(top);
  return {
    ...rangeView(range),
    ...trendView(trend),
    groups: trend.groups.slice(0, top).map(({ group, ...one }) => ({ group, ...trendView(one) })),
    others: rest.length === 0 ? null : { groups: rest.length, ...trendView(mergeTrends(rest)) },
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
