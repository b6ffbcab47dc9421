import type { AbPlan, NumberedRow, Rating } from './shadow-records.ts';

/** A unit of an A/B test whose window is over: a user, for example. All its values are means over its requests. */
export interface TestUnit {
  readonly isCandidate: boolean;
  /** Share of the units that got the candidate when the unit's first request arrived. */
  readonly share: number;
  readonly requests: number;
  readonly failed: number;
  /** Values of metrics from 0 to 1; undefined without one. */
  readonly values: Readonly<Record<string, number | undefined>>;
  readonly cost: number | undefined;
  readonly durationMs: number | undefined;
  readonly firstMs: number | undefined;
  readonly outputTokens: number | undefined;
}

/** The metric that comes from feedback instead of rows. */
const FEEDBACK = 'feedback';

/** A row can be stored this long after the end of the window that its request began in. */
const MAX_DELAY_MS = 60_000;

/**
 * Collects the requests of an A/B test by unit. Requests of one user are not independent of each other, so each user counts
 * once. Only the requests in the window after the first one count: then a unit's value is final, and no unit
 * is weighted by its number of requests.
 */
export interface TestUnits {
  add(row: NumberedRow): void;
  /** The number of the first row that ratings are needed from. */
  readonly firstOpen: () => number;
  /** Returns the units whose windows are over, in the order of their first requests. Each is returned once. */
  close(ratings: readonly Rating[], now: number): readonly TestUnit[];
  /** Number of units whose window is not over. */
  readonly waiting: () => number;
  /** When the window of the next unit is over; undefined without one. */
  readonly nextEnd: () => number | undefined;
}

interface OpenUnit {
  readonly variant: string | null;
  readonly share: number;
  readonly number: number;
  readonly until: number;
  requests: number;
  failed: number;
  /** For each name, the number of values and their sum. Plain numbers, because there can be many open units. */
  readonly sums: number[];
}

/** Values of rows besides those of metrics. */
const ROW_VALUES = ['cost', 'duration', 'first', 'output'];

export function createTestUnits({ windowMs, maxScore }: AbPlan, metrics: readonly string[]): TestUnits {
  const delay = Math.min(windowMs, MAX_DELAY_MS);
  const names = [...metrics, ...ROW_VALUES];
  const places = new Map(names.map((name, at) => [name, 2 * at]));
  const addTo = ({ sums }: OpenUnit, name: string, value: number): void => {
    const place = places.get(name);
    if (place === undefined) return;
    sums[place] = (sums[place] ?? 0) + 1;
    sums[place + 1] = (sums[place + 1] ?? 0) + value;
  };
  const units = new Map<string, OpenUnit | undefined>();
  /** IDs in the order of the first requests. */
  const order: string[] = [];
  let next = 0;
  const opened = (at: number): OpenUnit | undefined => units.get(order[at] ?? '');
  const nextEnd = (): number | undefined => {
    const unit = opened(next);
    return unit && unit.until + delay;
  };
  return {
    nextEnd,
    waiting: () => order.length - next,
    firstOpen: () => opened(next)?.number ?? Infinity,
    add(row) {
      const id = row.unit ?? '';
      if (!units.has(id)) {
        units.set(id, {
          variant: row.variant ?? null,
          share: row.share ?? 0,
          number: row.number,
          until: row.at + windowMs,
          requests: 0,
          failed: 0,
          sums: names.flatMap(() => [0, 0]),
        });
        order.push(id);
      }
      const unit = units.get(id);
      // A unit whose variant has changed, because the share has, stays in its first one.
      if (!unit || row.variant !== unit.variant || row.at >= unit.until) return;
      unit.requests += 1;
      unit.failed += row.failed;
      for (const [name, score] of Object.entries(row.scores))
        if (typeof score === 'number') addTo(unit, name, score);
      if (row.cost_nano !== null) addTo(unit, 'cost', Number(row.cost_nano));
      if (typeof row.output_tokens === 'number') {
        addTo(unit, 'output', row.output_tokens);
        addTo(unit, 'duration', row.duration_ms);
        if (row.first_ms !== null) addTo(unit, 'first', row.first_ms);
      }
    },
    close(ratings, now) {
      const closing: OpenUnit[] = [];
      const first = next;
      for (let unit = opened(next); unit && unit.until + delay <= now; unit = opened(next)) {
        closing.push(unit);
        next += 1;
      }
      const isClosing = new Set(closing);
      for (const { unit: id, variant, at, ratedAt, thumb, score } of ratings) {
        const unit = units.get(id ?? '');
        if (!unit || !isClosing.has(unit) || variant !== unit.variant) continue;
        if (at >= unit.until || ratedAt >= unit.until + delay) continue;
        const value = thumb === null ? (score ?? 0) / maxScore : thumb === 'up' ? 1 : 0;
        addTo(unit, FEEDBACK, Math.min(1, Math.max(0, value)));
      }
      for (const id of order.slice(first, next)) units.set(id, undefined);
      return closing.map((unit) => closedUnit(unit, metrics));
    },
  };
}

function closedUnit(
  { variant, share, requests, failed, sums }: OpenUnit,
  metrics: readonly string[],
): TestUnit {
  const meanAt = (at: number): number | undefined => {
    const [count = 0, sum = 0] = sums.slice(2 * at, 2 * at + 2);
    return count === 0 ? undefined : sum / count;
  };
  const [cost, durationMs, firstMs, outputTokens] = ROW_VALUES.map((_name, at) =>
    meanAt(metrics.length + at),
  );
  return {
    isCandidate: variant === 'candidate',
    share,
    requests,
    failed,
    values: Object.fromEntries(metrics.map((name, at) => [name, meanAt(at)])),
    cost,
    durationMs,
    firstMs,
    outputTokens,
  };
}
