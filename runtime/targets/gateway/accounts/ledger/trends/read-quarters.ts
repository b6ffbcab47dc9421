import { type Kysely, sql } from 'kysely';
import { createYielder } from '#platform/run-yielding.ts';
import type { Schema } from '../../../store/schema.ts';
import { QUARTER_MS } from '../usage-zones.ts';
import { intervalStarts } from './intervals.ts';
import { addCounts, COUNTS, type Counts, countsIn, forEachQuarter } from './quarters.ts';
import { ROW_COUNTS, type UsageParts } from './select-usage.ts';
import { sumPoints } from './sum-points.ts';
import type {
  GroupedTrend,
  SpendingOrder,
  SpendingSelection,
  TrendGrouping,
  TrendPoint,
  TrendRange,
  TrendTotals,
} from './trends-api.ts';

interface Row extends Counts {
  readonly start: number;
  readonly name: string;
  /** Null for usage rows that are not in the aggregates yet; `start` is that of their quarter. */
  readonly quarters: string | null;
}

/**
 * Reads usage for intervals that are not whole days in UTC: from the quarters of the daily aggregates, and
 * from rows not included in them yet. As in `readSpending`, a single statement sees a consistent state.
 */
export async function readQuarters(
  db: Kysely<Schema>,
  { sumsWhere, tailColumns, tailWhere }: UsageParts,
  range: TrendRange,
  { by, order, series }: SpendingSelection,
): Promise<GroupedTrend> {
  const { rows } = await sql<Row>`
    select start, name, quarters, ${NO_COUNTS} from gateway_usage_sums where ${sumsWhere}
    union all
    select start, name, null, ${SUMS}
    from (select ${tailColumns}, ${ROW_COUNTS} from gateway_usage where ${tailWhere}) as tail
    group by start, name`.execute(db);
  const intervals = createIntervals(range);
  const points = new Map<number, Counts>();
  const totals = new Map<string, Counts>();
  const pause = createYielder();
  for (const row of rows) {
    await pause();
    const total = countsIn(totals, groupOf(row, by));
    intervals.split(row, (start, counts) => {
      addCounts(countsIn(points, start), counts);
      addCounts(total, counts);
    });
  }
  const named = [...totals].filter(([, { requests }]) => requests > 0).toSorted(inOrder(order));
  // Only these have points, so that many groups do not need much memory.
  const drawn = new Map(named.slice(0, series).map(([name]) => [name, new Map<number, Counts>()]));
  for (const row of rows) {
    await pause();
    const own = drawn.get(groupOf(row, by));
    if (own) intervals.split(row, (start, counts) => addCounts(countsIn(own, start), counts));
  }
  return {
    ...sumPoints(pointsOf(points)),
    groups: named.map(([name, total]) => ({
      group: name === '' ? null : name,
      totals: totalsOf(total),
      points: pointsOf(drawn.get(name) ?? new Map()),
    })),
  };
}

const NO_COUNTS = sql.join(COUNTS.map((name) => sql`cast(0 as bigint) as ${sql.ref(name)}`));
const SUMS = sql.join(COUNTS.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint)`));

/** For a provider, the part of the model name before the colon. */
const groupOf = ({ name }: Row, by: TrendGrouping): string =>
  by === 'provider' ? name.slice(0, Math.max(0, name.indexOf(':'))) : name;

interface Intervals {
  /** Calls `receive` for each quarter of a row in the range, with the start of its interval. */
  readonly split: (row: Row, receive: (start: number, counts: Counts) => void) => void;
}

function createIntervals(range: TrendRange): Intervals {
  const starts = intervalStarts(range, range.interval, range.timeZone);
  let at = 0;
  /** Quarters are in order, so the interval is usually the same as before. */
  const startOf = (time: number): number | undefined => {
    if (time < range.from || time >= range.to) return undefined;
    const isHere = (): boolean => (starts[at] ?? 0) <= time && time < (starts[at + 1] ?? range.to);
    if (!isHere())
      at = Math.max(
        0,
        starts.findLastIndex((start) => start <= time),
      );
    return starts[at];
  };
  return {
    split({ start, name: _name, quarters, ...counts }, receive) {
      const add = (time: number, found: Counts): void => {
        const interval = startOf(time);
        if (interval !== undefined) receive(interval, found);
      };
      if (quarters === null) add(start, counts);
      else forEachQuarter(quarters, (quarter, found) => add(start + quarter * QUARTER_MS, found));
    },
  };
}

/** Groups with equal values are ordered by cost. */
const inOrder =
  (order: SpendingOrder) =>
  ([one, ours]: Named, [other, theirs]: Named): number => {
    const byCost = compare(theirs.cost_nano, ours.cost_nano);
    const byRequests = theirs.requests - ours.requests;
    const values = {
      cost: byCost || byRequests,
      requests: byRequests || byCost,
      errors: theirs.errors - ours.errors || byCost,
      total_tokens: theirs.total_tokens - ours.total_tokens || byCost,
    };
    return values[order] || compare(one, other);
  };
type Named = readonly [name: string, totals: Counts];

const compare = <Value extends string | bigint>(one: Value, other: Value): number =>
  one < other ? -1 : one > other ? 1 : 0;

const pointsOf = (points: ReadonlyMap<number, Counts>): TrendPoint[] =>
  [...points]
    .toSorted(([one], [other]) => one - other)
    .map(([start, counts]) => ({ start, ...totalsOf(counts) }));

const totalsOf = (counts: Counts): TrendTotals => ({
  requests: counts.requests,
  errors: counts.errors,
  promptTokens: counts.prompt_tokens,
  completionTokens: counts.completion_tokens,
  cachedTokens: counts.cached_tokens,
  cacheWriteTokens: counts.cache_write_tokens,
  totalTokens: counts.total_tokens,
  cost: counts.cost_nano,
  cacheSaved: counts.cache_saved_nano,
});
