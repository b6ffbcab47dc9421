import { STATUS_FILTERS } from '../../accounts/ledger/ledger.ts';
import { Type } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { PAGE_PARAMETERS } from '../http/lists.ts';
import { parameter } from './scope-operations.ts';
import { usageReport } from './schemas.ts';
import { USAGE_GROUPINGS, USAGE_INTERVALS } from '../../accounts/ledger/usage-api.ts';
import { FORMATS } from '../http/lists.ts';
import { KEY_ERRORS } from '../http/operations.ts';

export const USAGE_LOG = {
  id: '01985b4a-7b60-7c1e-a5f3-0d4fd2a1b9c0',
  user_id: 'ada',
  api_key_id: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
  team_id: 'research',
  organization_id: 'acme',
  timestamp: '2026-01-31T12:00:00.25Z',
  model: 'openai:gpt-5-mini',
  provider: 'openai',
  endpoint: '/v1/chat/completions',
  prompt_tokens: 200,
  completion_tokens: 50,
  cached_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  total_tokens: 250,
  cost: 0.00015,
  priced_by: 'map 2026-11-26 openai:gpt-5-mini',
  status: 'success',
  error_message: null,
  status_code: 200,
  latency_ms: 830,
  ttft_ms: 210,
  usage_estimated: false,
  request_id: '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11',
  end_user: null,
  cache_hit: null,
  tags: ['search'],
  units: { web_searches: 2 },
  attempt: 1,
};

const TOTALS = {
  requests: 1,
  errors: 0,
  cancelled: 0,
  prompt_tokens: 200,
  completion_tokens: 50,
  cached_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  total_tokens: 250,
  cost: 0.00015,
};

export const USAGE_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/usage',
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Get usage and cost, per request or aggregated.',
    description:
      'The master key and the roles admin and viewer return all usage, an API key that calls models only its own. A member sees the own usage, and with `team_id` that of a team with the role admin. Filters are combined with AND. Times without a zone are in UTC.',
    parameters: [
      parameter('user_id', 'Only requests of this user.', 'ada'),
      parameter('api_key_id', 'Only requests with this key.', USAGE_LOG.api_key_id),
      parameter('team_id', 'Only requests of this team.', 'research'),
      parameter('organization_id', 'Only requests of this organization.', 'acme'),
      parameter('model', 'Only requests to this model; the provider prefix can be omitted.', USAGE_LOG.model),
      parameter('provider', 'Only requests to this provider.', 'openai'),
      parameter('endpoint', 'Only requests to this endpoint.', USAGE_LOG.endpoint),
      {
        ...parameter('status', 'Only requests with this outcome.', 'success'),
        schema: oneOf(STATUS_FILTERS),
      },
      parameter('request_id', 'Only this request.', USAGE_LOG.request_id),
      parameter('end_user', 'Only requests that name this user of the client’s own.', 'customer-17'),
      parameter('tag', 'Only requests with this tag.', 'search'),
      parameter('from', 'Start time, inclusive.', '2026-01-01T00:00:00Z'),
      parameter('to', 'End time, exclusive.', '2026-02-01'),
      {
        ...parameter(
          'group_by',
          `Aggregate by ${USAGE_GROUPINGS.join(', ')}; comma-separated or repeated.`,
          'user,model',
        ),
        isList: true,
      },
      {
        ...parameter('interval', 'Aggregate over time; at most 10080 intervals.', 'day'),
        schema: oneOf(USAGE_INTERVALS),
      },
      parameter(
        'time_zone',
        'Time zone in which hours, days and months start (default: UTC).',
        'Europe/Berlin',
      ),
      {
        ...parameter(
          'format',
          '`csv` returns all matching rows, oldest first. `Accept: text/csv` does the same.',
          'json',
        ),
        schema: oneOf(FORMATS, { default: 'json' }),
      },
      ...PAGE_PARAMETERS,
    ],
    answer: {
      description: 'Totals of all matching requests, with the requested rows, groups or intervals.',
      schema: usageReport,
      examples: {
        logs: { totals: TOTALS, logs: [USAGE_LOG] },
        groups: {
          totals: TOTALS,
          groups: [{ group: { user: 'ada', model: USAGE_LOG.model }, ...TOTALS }],
        },
        series: { totals: TOTALS, series: [{ start: '2026-01-31T00:00:00Z', ...TOTALS }] },
      },
    },
    otherAnswers: [
      {
        mediaType: 'text/csv',
        schema: Type.String(),
        examples: { rows: `${Object.keys(USAGE_LOG).join(',')}\r\n` },
      },
    ],
    errors: [422, ...KEY_ERRORS],
  },
];
