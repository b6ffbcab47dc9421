import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import {
  SPENDING_ORDERS,
  type SpendingSelection,
  SPEED_GROUPINGS,
  TREND_GROUPINGS,
  TREND_INTERVAL_HOURS,
  TREND_INTERVALS,
  type TrendGrouping,
  type TrendRange,
} from '../../accounts/ledger/trends/trends-api.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import { momentOf } from '../http/values.ts';
import { refuseUnknownParameters } from '../http/lists.ts';
import { SCOPE_PARAMETERS } from '../usage/permit-scope.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_DAYS = 30;
/** Maximum number of intervals of a trend. */
const MAX_INTERVALS = 800;
export const TOP = { min: 1, max: 50, fallback: 10 };

const PARAMETERS = [...Object.values(SCOPE_PARAMETERS), 'from', 'to', 'interval', 'group_by', 'top'];
const SPENDING_PARAMETERS = [...PARAMETERS, 'order_by', 'series'];

export interface TrendQuery<Grouping extends TrendGrouping> {
  readonly range: TrendRange;
  readonly by: Grouping;
  /** Maximum number of groups. */
  readonly top: number;
}

export type SpendingQuery = TrendQuery<TrendGrouping> & SpendingSelection;

export function spendingQuery(c: Context, now: number): SpendingQuery {
  const query = rangeQuery(c, now, SPENDING_PARAMETERS);
  return {
    ...query,
    by: wordOf(c, 'group_by', TREND_GROUPINGS, 'model'),
    order: wordOf(c, 'order_by', SPENDING_ORDERS, 'cost'),
    series: wholeNumberOf(c, 'series', { min: 0, max: TOP.max, fallback: query.top }),
  };
}

export const speedsQuery = (c: Context, now: number): TrendQuery<'model' | 'provider'> => ({
  ...rangeQuery(c, now, PARAMETERS),
  by: wordOf(c, 'group_by', SPEED_GROUPINGS, 'model'),
});

/** Reads a range, which is extended to whole intervals. */
function rangeQuery(c: Context, now: number, known: readonly string[]): Omit<TrendQuery<never>, 'by'> {
  refuseUnknownParameters(c, known);
  const interval = wordOf(c, 'interval', TREND_INTERVALS, 'day');
  const length = TREND_INTERVAL_HOURS[interval] * HOUR_MS;
  const to = Math.ceil((momentOf(c, 'to') ?? Math.floor(now) + 1) / length) * length;
  const from = Math.floor((momentOf(c, 'from') ?? to - DEFAULT_DAYS * 24 * HOUR_MS) / length) * length;
  if (from >= to) throw problem('from', 'from must be before to.');
  if ((to - from) / length > MAX_INTERVALS)
    throw problem(
      'from',
      `More than ${MAX_INTERVALS} intervals of one ${interval}. Use a shorter time range (from, to).`,
    );
  return { range: { from, to, interval }, top: wholeNumberOf(c, 'top', TOP) };
}

const problem = (name: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: `query.${name}`, message }] });
