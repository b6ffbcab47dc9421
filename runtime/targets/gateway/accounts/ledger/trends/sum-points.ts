import type { Trend, TrendPoint, TrendTotals } from './trends-api.ts';

/** What remains of a trend without some of its groups. It has points if those groups have them. */
export function withoutGroups(trend: Trend, groups: readonly Trend[], hasPoints: boolean): Trend {
  const { totals } = sumPoints([
    { start: 0, ...trend.totals },
    ...groups.map((group) => negative({ start: 0, ...group.totals })),
  ]);
  if (!hasPoints) return { totals, points: [] };
  const { points } = sumPoints([...trend.points, ...groups.flatMap((group) => group.points.map(negative))]);
  return { totals, points: points.filter(({ requests }) => requests > 0) };
}

const negative = (point: TrendPoint): TrendPoint => ({
  start: point.start,
  requests: -point.requests,
  errors: -point.errors,
  promptTokens: -point.promptTokens,
  completionTokens: -point.completionTokens,
  cachedTokens: -point.cachedTokens,
  cacheWriteTokens: -point.cacheWriteTokens,
  totalTokens: -point.totalTokens,
  cost: -point.cost,
  cacheSaved: -point.cacheSaved,
});

type Sums = { -readonly [Name in keyof TrendTotals]: TrendTotals[Name] };

/** Adds up the points of each interval, and of all intervals. */
export function sumPoints(points: Iterable<TrendPoint>): Trend {
  const totals: Sums = {
    requests: 0,
    errors: 0,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: 0,
    cost: 0n,
    cacheSaved: 0n,
  };
  const byStart = new Map<number, Sums & { readonly start: number }>();
  for (const point of points) {
    add(totals, point);
    const known = byStart.get(point.start);
    if (known) add(known, point);
    else byStart.set(point.start, { ...point });
  }
  return { totals, points: [...byStart.values()].toSorted((one, other) => one.start - other.start) };
}

function add(sums: Sums, point: TrendTotals): void {
  sums.requests += point.requests;
  sums.errors += point.errors;
  sums.promptTokens += point.promptTokens;
  sums.completionTokens += point.completionTokens;
  sums.cachedTokens += point.cachedTokens;
  sums.cacheWriteTokens += point.cacheWriteTokens;
  sums.totalTokens += point.totalTokens;
  sums.cost += point.cost;
  sums.cacheSaved += point.cacheSaved;
}
