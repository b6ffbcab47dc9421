import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { USAGE_STATUSES } from '../shared/record-words.ts';
import { count, dollars, time } from './http/fields.ts';

const textOrNull = (description: string) => orNull(Type.String({ description }));
const countOrNull = (description: string) => orNull(count(), description);

export const usageLog = closed(
  'UsageLog',
  {
    id: Type.String(),
    user_id: textOrNull('User who was billed.'),
    api_key_id: textOrNull('Key of the request; null for the master key and for deleted keys.'),
    team_id: textOrNull('Team of the key.'),
    organization_id: textOrNull('Organization of the team at the time of the request.'),
    timestamp: time('Time at which the request was recorded.'),
    model: Type.String({ description: 'Model that responded, `provider:model`.' }),
    provider: textOrNull('Provider.'),
    endpoint: Type.String({ description: 'Path of the endpoint.' }),
    prompt_tokens: countOrNull('Number of input tokens.'),
    completion_tokens: countOrNull('Number of output tokens.'),
    cached_tokens: countOrNull('Number of `prompt_tokens` that the provider read from its cache.'),
    cache_write_tokens: countOrNull('Number of `prompt_tokens` that the provider wrote to its cache.'),
    cache_write_1h_tokens: countOrNull('Number of `cache_write_tokens` that were written for 1 hour.'),
    total_tokens: countOrNull('Sum of input and output tokens.'),
    cost: orNull(dollars('Cost in US dollars; null if the model has no price.')),
    cache_saved: orNull(
      Type.Number(),
      'Savings by the provider’s cache, in US dollars; negative if writing to it cost more than reading saved. Null if nothing was read or written.',
    ),
    priced_by: textOrNull(
      'Source of the price: `own` for a custom price, or the date and entry of the price map. Null if there is no cost.',
    ),
    status: oneOf(USAGE_STATUSES),
    error_message: textOrNull('Error message.'),
    error_detail: Type.Optional(
      Type.String({
        description:
          'Reason for a provider failure, without secrets. Visible only to the roles admin and viewer.',
      }),
    ),
    provider_key: Type.Optional(
      Type.String({
        description:
          'Name of the provider’s key, if the provider has several. Visible only to the roles admin and viewer.',
      }),
    ),
    status_code: countOrNull('HTTP status.'),
    latency_ms: countOrNull('Duration in milliseconds.'),
    ttft_ms: countOrNull('Time to the first token in milliseconds.'),
    usage_estimated: Type.Boolean({
      description: 'Whether token counts are estimated because the provider did not report them.',
    }),
    request_id: textOrNull('`X-Request-Id` of the request.'),
    end_user: textOrNull('The client’s own user ID in the request; it is not verified.'),
    cache_hit: orNull(
      oneOf(['exact', 'semantic']),
      'Set if the response came from the cache, for an identical or a similar request. Cached responses are free.',
    ),
    tags: Type.Array(Type.String(), { description: 'Tags of the request.' }),
    units: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer', minimum: 0 },
      description:
        'Usage other than text tokens: `web_searches`, `images`, `queries`, `image_input_tokens`, `image_output_tokens`.',
    }),
    attempt: count('Attempt number. Earlier attempts of the request failed.'),
  },
  'A model request, or a failed attempt.',
);

export const usageLogs = Type.Array(usageLog);

const totals = {
  requests: count(
    'Number of rows: each request, and each failed attempt before a fallback to another model.',
  ),
  errors: count('Number of failed rows, excluding requests canceled by the client.'),
  cancelled: count('Number of rows whose client disconnected before the end.'),
  prompt_tokens: count(),
  completion_tokens: count(),
  cached_tokens: count(),
  cache_write_tokens: count(),
  cache_write_1h_tokens: count(),
  total_tokens: count(),
  cost: dollars('Cost in US dollars.'),
  cache_saved: Type.Number({
    description:
      'Savings by the providers’ caches, in US dollars; negative if writing to them cost more than reading saved.',
  }),
};

export const usageReport = closed('UsageReport', {
  totals: closed('UsageTotals', totals, 'Totals of all matching requests.'),
  logs: Type.Optional(
    Type.Array(usageLog, {
      description: 'Requests, newest first; without `group_by` and `interval`.',
    }),
  ),
  groups: Type.Optional(
    Type.Array(
      closed('UsageGroup', {
        group: Type.Unsafe<Record<string, string | null>>({
          type: 'object',
          additionalProperties: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          description: 'Values of the `group_by` fields.',
        }),
        ...totals,
      }),
      { description: 'Groups, most expensive first; with `group_by`.' },
    ),
  ),
  series: Type.Optional(
    Type.Array(closed('UsagePoint', { start: time('Start of the interval.'), ...totals }), {
      description: 'Intervals with requests, oldest first; with `interval`.',
    }),
  ),
});
