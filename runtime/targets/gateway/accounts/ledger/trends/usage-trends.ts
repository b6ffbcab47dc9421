import type { Store } from '../../../store/store.ts';
import { readSpending } from './read-spending.ts';
import type {
  UsageTrends,
  GroupedSpeeds,
  Percentiles,
  SpeedSummary,
  TrendRange,
  TrendScope,
  TrendGrouping,
} from './trends-api.ts';
import { sql } from 'kysely';
import { countUsage } from './count-usage.ts';
import { usageParts } from './select-usage.ts';
import {
  addSpeeds,
  addSpeedsText,
  mergeSpeeds,
  noSpeeds,
  percentileOfBuckets,
  type Speeds,
} from './speeds.ts';

export const createUsageTrends = ({ db, kind }: Pick<Store, 'db' | 'kind'>): UsageTrends => ({
  spending: (range, scope, selection) => readSpending({ db, kind }, range, scope, selection),
  speeds: (range, scope, by) => readSpeeds({ db, kind }, range, scope, by),
  async count(now, signal) {
    for (;;) {
      if (signal?.aborted || !(await countUsage(db, now))) return;
      // Lets requests run between two steps.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
});

interface Row {
  readonly start: number;
  readonly name: string;
  /** Null for a usage row that is not in the aggregates yet. */
  readonly speeds: string | null;
  readonly latency_ms: number | null;
  readonly ttft_ms: number | null;
  readonly completion_tokens: number | null;
}

/** Reads percentiles of durations and speeds: from the aggregates, and from rows not included in them yet. */
async function readSpeeds(
  { db, kind }: Pick<Store, 'db' | 'kind'>,
  range: TrendRange,
  scope: TrendScope | undefined,
  by: 'model' | 'provider',
): Promise<GroupedSpeeds> {
  const { sumsWhere, tailColumns, tailWhere } = usageParts(kind, range, scope, {
    by,
    canSplit: false,
  });
  const { rows } = await sql<Row>`
    select start, name, speeds, null as latency_ms, null as ttft_ms, null as completion_tokens
    from gateway_usage_sums where ${sumsWhere}
    union all
    select ${tailColumns}, null, latency_ms, ttft_ms, completion_tokens
    from gateway_usage where ${tailWhere} and status = 'success' and cache_hit is null`.execute(db);
  const cells = new Map<string, { readonly start: number; readonly name: string; readonly speeds: Speeds }>();
  for (const row of rows) {
    const name = groupName(row.name, by);
    const key = `${row.start} ${name}`;
    let cell = cells.get(key);
    if (!cell) cells.set(key, (cell = { start: row.start, name, speeds: noSpeeds() }));
    if (row.speeds === null) addSpeeds(cell.speeds, { ...row, status: 'success', cache_hit: null });
    else addSpeedsText(cell.speeds, row.speeds);
  }
  const all = [...cells.values()];
  return {
    all: summaryOf(all),
    points: [...Map.groupBy(all, ({ start }) => start)]
      .map(([start, members]) => ({ start, ...summaryOf(members) }))
      .toSorted((one, other) => one.start - other.start),
    groups: [...Map.groupBy(all, ({ name }) => name)]
      .map(([name, members]) => ({ group: name === '' ? null : name, ...summaryOf(members) }))
      .filter(({ answers }) => answers > 0)
      .toSorted((one, other) => other.answers - one.answers),
  };
}

function summaryOf(cells: readonly { readonly speeds: Speeds }[]): SpeedSummary {
  const merged = noSpeeds();
  for (const { speeds } of cells) mergeSpeeds(merged, speeds);
  const [latency, firstOutput, tokensPerSecond] = merged;
  return {
    answers: latency.values().reduce((sum, count) => sum + count, 0),
    latency: percentilesOf(latency, (share) => share),
    firstOutput: percentilesOf(firstOutput, (share) => share),
    // For a speed, low values are the bad ones.
    tokensPerSecond: percentilesOf(tokensPerSecond, (share) => 1 - share),
  };
}

const percentilesOf = (values: Speeds[number], shareOf: (share: number) => number): Percentiles => ({
  p50: percentileOfBuckets(values, 0.5),
  p90: percentileOfBuckets(values, shareOf(0.9)),
  p95: percentileOfBuckets(values, shareOf(0.95)),
  p99: percentileOfBuckets(values, shareOf(0.99)),
});

/** The group for a name in the aggregates: for providers, the part of a model name before the colon. */
const groupName = (name: string, by: TrendGrouping): string =>
  by === 'provider' ? name.slice(0, Math.max(0, name.indexOf(':'))) : name;
