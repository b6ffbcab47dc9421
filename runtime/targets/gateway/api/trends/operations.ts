import { Type } from 'typebox';
import { answerOf, wholeNumber } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import {
  SPENDING_ORDERS,
  SPEED_GROUPINGS,
  TREND_GROUPINGS,
  TREND_INTERVALS,
} from '../../accounts/ledger/trends/trends-api.ts';
import { KEY_ERRORS } from '../http/operations.ts';
import {
  ORGANIZATION_PARAMETER,
  SCOPE_OPERATION_PARAMETERS,
  SCOPE_RULE,
  TIME_PARAMETERS,
} from '../usage/scope-operations.ts';
import { TOP } from './query.ts';
import { latency, spending } from './schemas.ts';

const TOTALS = {
  requests: 40,
  errors: 1,
  prompt_tokens: 8000,
  completion_tokens: 2000,
  cached_tokens: 0,
  total_tokens: 10_000,
  cost: 0.006,
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

const parameters = (groups: readonly string[]): NonNullable<Operation['parameters']> => [
  ...SCOPE_OPERATION_PARAMETERS,
  ORGANIZATION_PARAMETER,
  ...TIME_PARAMETERS,
  {
    name: 'interval',
    in: 'query',
    description: 'Length of an interval. The range is extended to whole intervals in UTC; at most 800.',
    example: 'day',
    schema: oneOf(TREND_INTERVALS, { default: 'day' }),
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

export const TREND_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/usage/spending',
    id: 'getSpending',
    tag: 'Usage',
    summary: 'Get usage and cost over time by group.',
    description: `${SCOPE_RULE} By hour, a range of one user, key, team or organization, and groups other than models and providers, are limited to 48 hours. Default range: the last 30 days.`,
    parameters: [
      ...parameters(TREND_GROUPINGS),
      {
        name: 'order_by',
        in: 'query',
        description: 'Amount that the groups are ordered by, the largest first.',
        example: 'cost',
        schema: oneOf(SPENDING_ORDERS, { default: 'cost' }),
      },
      {
        name: 'series',
        in: 'query',
        description:
          'Maximum number of groups with points, for a chart. Default: as many as `top`. With fewer, the others have no points, either.',
        example: 5,
        schema: Type.Integer({ minimum: 0, maximum: TOP.max }),
      },
    ],
    answer: answerOf('Usage over time.', spending, {
      ...RANGE,
      ...TREND,
      groups: [{ group: 'openai:gpt-5-mini', ...TREND }],
      others: null,
    }),
    errors: [422, ...KEY_ERRORS],
  },
  {
    method: 'get',
    path: '/v1/usage/latency',
    id: 'getLatency',
    tag: 'Usage',
    summary: 'Get percentiles of durations and of tokens per second.',
    description: `${SCOPE_RULE} Failed requests and answers from the cache are not included.`,
    parameters: parameters(SPEED_GROUPINGS),
    answer: answerOf('Percentiles.', latency, {
      ...RANGE,
      all: SPEEDS,
      points: [{ start: '2026-01-30T00:00:00Z', ...SPEEDS }],
      groups: [{ group: 'openai:gpt-5-mini', ...SPEEDS }],
    }),
    errors: [422, ...KEY_ERRORS],
  },
];
