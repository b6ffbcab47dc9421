import type { Trend, TrendPoint, TrendTotals } from './trends-api.ts';

/** Adds up the usage of several groups. */
export function mergeTrends(trends: readonly Trend[]): Trend {
  const points = mergePoints(trends.flatMap((trend) => trend.points));
  return { totals: totalsOf(points), points };
}

/** Adds up the points of each interval. */
export function mergePoints(points: readonly TrendPoint[]): TrendPoint[] {
  const byStart = Map.groupBy(points, ({ start }) => start);
  return [...byStart]
    .map(([start, members]) => ({ start, ...totalsOf(members) }))
    .toSorted((one, other) => one.start - other.start);
}

export function totalsOf(points: readonly TrendTotals[]): TrendTotals {
  const sum = (name: Exclude<keyof TrendTotals, 'cost'>): number =>
    points.reduce((total, point) => total + point[name], 0);
  return {
    requests: sum('requests'),
    errors: sum('errors'),
    promptTokens: sum('promptTokens'),
    completionTokens: sum('completionTokens'),
    cachedTokens: sum('cachedTokens'),
    totalTokens: sum('totalTokens'),
    cost: points.reduce((total, { cost }) => total + cost, 0n),
  };
}
