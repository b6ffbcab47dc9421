import type { Context } from 'hono';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { startOf } from '#core/time/calendar.ts';
import { LAST_TIME } from '#core/time/timestamp.ts';
import { answerOf, wholeNumber } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { RequestList } from '../accounts/ledger/request-list.ts';
import { endOf, intervalStarts } from '../accounts/ledger/trends/intervals.ts';
import {
  SPENDING_INTERVALS,
  SPENDING_ORDERS,
  type SpendingInterval,
  type SpendingSelection,
  SPEED_GROUPINGS,
  SPEED_INTERVALS,
  type SpeedInterval,
  TREND_GROUPINGS,
  type TrendGrouping,
  type TrendRange,
  UTC,
} from '../accounts/ledger/trends/trends-api.ts';
import type { GatewayContext } from '../context.ts';
import { refuseUnknownParameters } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { momentOf } from './http/values.ts';
import { filterOf } from './requests.ts';
import { latency, spending } from './trends-schemas.ts';
import {
  SCOPE_PARAMETERS,
  type PermittedScope,
  ORGANIZATION_PARAMETER,
  SCOPE_OPERATION_PARAMETERS,
  SCOPE_RULE,
  TIME_PARAMETERS,
  checkedZone,
  permitScope,
} from './usage.ts';
import { latencyView, spendingView } from './views/records.ts';

const DAY_MS = 86_400_000;
const DEFAULT_MS = 30 * DAY_MS;
/** Maximum number of intervals in a trend. */
const MAX_INTERVALS = 800;
/** Maximum length of a range, also with long intervals: the aggregates of its days are read. */
const MAX_MS = 800 * DAY_MS;
const TOP = { min: 1, max: 50, fallback: 10 };

const PARAMETERS = [...Object.values(SCOPE_PARAMETERS), 'from', 'to', 'interval', 'group_by', 'top'];
const SPENDING_PARAMETERS = [...PARAMETERS, 'order_by', 'series', 'time_zone'];

interface TrendQuery<Grouping extends TrendGrouping, Interval extends SpendingInterval> {
  readonly range: TrendRange<Interval>;
  readonly by: Grouping;
  /** Maximum number of groups. */
  readonly top: number;
}

type SpendingQuery = TrendQuery<TrendGrouping, SpendingInterval> & SpendingSelection;

function spendingQuery(c: Context, now: number): SpendingQuery {
  refuseUnknownParameters(c, SPENDING_PARAMETERS);
  const timeZone = checkedZone(c.req.query('time_zone') || UTC);
  const query = rangeQuery(c, now, { intervals: SPENDING_INTERVALS, timeZone });
  return {
    ...query,
    by: wordOf(c, 'group_by', TREND_GROUPINGS, 'model'),
    order: wordOf(c, 'order_by', SPENDING_ORDERS, 'cost'),
    series: wholeNumberOf(c, 'series', { min: 0, max: TOP.max, fallback: query.top }),
  };
}

function speedsQuery(c: Context, now: number): TrendQuery<'model' | 'provider', SpeedInterval> {
  refuseUnknownParameters(c, PARAMETERS);
  return {
    ...rangeQuery(c, now, { intervals: SPEED_INTERVALS, timeZone: UTC }),
    by: wordOf(c, 'group_by', SPEED_GROUPINGS, 'model'),
  };
}

interface RangeRules<Interval> {
  readonly intervals: readonly [Interval, ...Interval[]];
  readonly timeZone: string;
}

/** Parses a range and extends it to whole intervals in the time zone. */
function rangeQuery<Interval extends SpendingInterval>(
  c: Context,
  now: number,
  { intervals, timeZone }: RangeRules<Interval | 'day'>,
): Omit<TrendQuery<never, Interval | 'day'>, 'by'> {
  const interval = wordOf(c, 'interval', intervals, 'day');
  const to = endOf(interval, timeZone, momentOf(c, 'to') ?? Math.floor(now) + 1);
  // Thirty days differ from that by an hour if daylight saving time started or ended.
  const noon = interval === 'day' ? DAY_MS / 2 : 0;
  const first = momentOf(c, 'from') ?? Math.max(0, to - DEFAULT_MS + noon);
  const from = startOf(interval, timeZone, first);
  if (from >= to) throw problem('from', 'from must be before to.');
  if (to > LAST_TIME) throw problem('to', 'the interval of to ends after the year 9999. Use an earlier to.');
  const starts = intervalStarts({ from, to }, interval, timeZone, MAX_INTERVALS + 1);
  if (starts.length > MAX_INTERVALS)
    throw problem(
      'from',
      `The time range has more than ${MAX_INTERVALS} intervals of one ${interval}. Use a shorter time range (from, to).`,
    );
  if (to - from > MAX_MS + 31 * DAY_MS)
    throw problem('from', 'The time range exceeds 800 days. Use a shorter time range (from, to).');
  return { range: { from, to, interval, timeZone }, top: wholeNumberOf(c, 'top', TOP) };
}

const problem = (name: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: `query.${name}`, message }] });

/**
 * The intervals in a range, excluding those with usage of an earlier user or team with the same ID.
 * Aggregates cover whole intervals, so the interval in which the ID was reused is also omitted.
 */
async function ownPart<Interval extends SpendingInterval>(
  range: TrendRange<Interval>,
  { scope, since }: PermittedScope,
  requests: Pick<RequestList, 'list'>,
): Promise<TrendRange<Interval>> {
  const from = Math.min(range.to, endOf(range.interval, range.timeZone, Math.ceil(since)));
  if (from <= range.from) return range;
  const [earlier] = await requests.list({ ...filterOf(scope), to: since }, undefined, 1);
  return earlier ? { ...range, from } : range;
}

const TOTALS = {
  requests: 40,
  errors: 1,
  prompt_tokens: 8000,
  completion_tokens: 2000,
  cached_tokens: 0,
  cache_write_tokens: 0,
  total_tokens: 10_000,
  cost: 0.006,
  cache_saved: 0,
};
const RANGE = {
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-31T00:00:00Z',
  interval: 'day' as const,
};
const TREND = { totals: TOTALS, points: [{ start: '2026-01-30T00:00:00Z', ...TOTALS }] };
const PERCENTILES = { p50: 810, p90: 1900, p95: 2400, p99: 4100 };
const SPEEDS = {
  answers: 39,
  latency_ms: PERCENTILES,
  ttft_ms: { p50: 210, p90: 420, p95: 560, p99: 900 },
  tokens_per_second: { p50: 82, p90: 51, p95: 44, p99: 31 },
};

const parameters = (
  groups: readonly string[],
  intervals: readonly [string, ...string[]],
): NonNullable<Operation['parameters']> => [
  ...SCOPE_OPERATION_PARAMETERS,
  ORGANIZATION_PARAMETER,
  ...TIME_PARAMETERS,
  {
    name: 'interval',
    in: 'query',
    description: 'Length of an interval. The range is extended to whole intervals, at most 800.',
    example: 'day',
    schema: oneOf(intervals, { default: 'day' }),
  },
  {
    name: 'group_by',
    in: 'query',
    description: 'Kind of a group.',
    example: 'model',
    schema: oneOf(groups, { default: 'model' }),
  },
  {
    name: 'top',
    in: 'query',
    description: 'Maximum number of groups.',
    example: TOP.fallback,
    schema: wholeNumber(TOP.min, TOP.max, TOP.fallback),
  },
];

/** `/v1/usage/spending` and `/v1/usage/latency`: usage over time, for charts. */
export function trendRoutes(
  { state, clock }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  const { trends, identity } = state;

  return [
    route({
      method: 'get',
      path: '/v1/usage/spending',
      guard: guards.anyKey,
      id: 'getSpending',
      tag: 'Usage',
      summary: 'Get usage and cost over time by group.',
      description: `${SCOPE_RULE} Default range: the last 30 days.`,
      parameters: [
        ...parameters(TREND_GROUPINGS, SPENDING_INTERVALS),
        {
          name: 'time_zone',
          in: 'query',
          description: 'Time zone in which hours, days, weeks and months start. Weeks start on Monday.',
          example: 'Europe/Berlin',
          schema: Type.String({ default: UTC }),
        },
        {
          name: 'order_by',
          in: 'query',
          description: 'Value to sort the groups by, largest first.',
          example: 'cost',
          schema: oneOf(SPENDING_ORDERS, { default: 'cost' }),
        },
        {
          name: 'series',
          in: 'query',
          description:
            'Maximum number of groups with points, for a chart. Default: same as `top`. If lower, the combined other groups have no points either.',
          example: 5,
          schema: Type.Integer({ minimum: 0, maximum: TOP.max }),
        },
      ],
      answer: answerOf('Usage over time.', spending, {
        ...RANGE,
        time_zone: UTC,
        ...TREND,
        groups: [{ group: 'openai:gpt-5-mini', ...TREND }],
        others: null,
      }),
      run: async (c) => {
        const query = spendingQuery(c, clock.now());
        const permitted = await permitScope(c, identity);
        const range = await ownPart(query.range, permitted, state.requests);
        return spendingView(await trends.spending(range, permitted.scope, query), query);
      },
    }),
    route({
      method: 'get',
      path: '/v1/usage/latency',
      guard: guards.anyKey,
      id: 'getLatency',
      tag: 'Usage',
      summary: 'Get percentiles of durations and of tokens per second.',
      description: `${SCOPE_RULE} Failed requests and cached responses are not included. Intervals are in UTC. By hour, the range is limited to 48 hours for a single user, key, team or organization.`,
      parameters: parameters(SPEED_GROUPINGS, SPEED_INTERVALS),
      answer: answerOf('Percentiles.', latency, {
        ...RANGE,
        all: SPEEDS,
        points: [{ start: '2026-01-30T00:00:00Z', ...SPEEDS }],
        groups: [{ group: 'openai:gpt-5-mini', ...SPEEDS }],
      }),
      run: async (c) => {
        const { range, by, top } = speedsQuery(c, clock.now());
        const permitted = await permitScope(c, identity);
        const own = await ownPart(range, permitted, state.requests);
        return latencyView(range, await trends.speeds(own, permitted.scope, by), top);
      },
    }),
  ];
}
