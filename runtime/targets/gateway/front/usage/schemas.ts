import { Type } from 'typebox';
import { closed, oneOf, orNull } from '../../../../serve/http/schemas.ts';
import { count, dollars, time } from '../http/fields.ts';

const textOrNull = (description: string) => orNull(Type.String({ description }));
const countOrNull = (description: string) => orNull(count(), description);

const usageLog = closed(
  'UsageLog',
  {
    id: Type.String(),
    user_id: textOrNull('Who paid.'),
    api_key_id: textOrNull('With which key; null for the master key, and for keys that were deleted.'),
    timestamp: time('When its accounts were settled.'),
    model: Type.String({ description: 'Who answered, as `provider:model`.' }),
    provider: textOrNull('The provider.'),
    endpoint: Type.String({ description: 'The path of the route.' }),
    prompt_tokens: countOrNull('Tokens of the request.'),
    completion_tokens: countOrNull('Tokens of the answer.'),
    cached_tokens: countOrNull('How many of the request’s the provider had in its cache.'),
    cache_write_tokens: countOrNull('Number of `prompt_tokens` that the provider wrote to its cache.'),
    cache_write_1h_tokens: countOrNull('Number of `cache_write_tokens` that it keeps for 1 hour.'),
    total_tokens: countOrNull('Of both.'),
    cost: orNull(dollars('In US dollars; null for a model without a price.')),
    status: oneOf(['success', 'error']),
    error_message: textOrNull('What went wrong.'),
    error_detail: Type.Optional(
      Type.String({ description: 'Why a provider failed, without secrets. Only for the master key.' }),
    ),
    status_code: countOrNull('The HTTP status.'),
    latency_ms: countOrNull('How long it took.'),
    ttft_ms: countOrNull('How long the first token took.'),
    usage_estimated: Type.Boolean({
      description: 'Whether the tokens are a guess, because the provider told none.',
    }),
    request_id: textOrNull('`X-Request-Id` of the request.'),
    attempt: count('Which try of the request it was; those before it failed.'),
  },
  'A request to a model, or a try of one.',
);

export const usageLogs = Type.Array(usageLog);

const totals = {
  requests: count(
    'Rows: each request, and each attempt at a model that failed before another one was asked.',
  ),
  errors: count('How many of them failed.'),
  prompt_tokens: count(),
  completion_tokens: count(),
  cached_tokens: count(),
  cache_write_tokens: count(),
  cache_write_1h_tokens: count(),
  total_tokens: count(),
  cost: dollars('In US dollars.'),
};

export const usageReport = closed('UsageReport', {
  totals: closed('UsageTotals', totals, 'Of all that fits.'),
  logs: Type.Optional(
    Type.Array(usageLog, {
      description: 'One by one, the newest first; where nothing else is asked for.',
    }),
  ),
  groups: Type.Optional(
    Type.Array(
      closed('UsageGroup', {
        group: Type.Unsafe<Record<string, string | null>>({
          type: 'object',
          additionalProperties: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          description: 'What they have in common, by the words of `group_by`.',
        }),
        ...totals,
      }),
      { description: 'With `group_by`: the most expensive first.' },
    ),
  ),
  series: Type.Optional(
    Type.Array(closed('UsagePoint', { start: time('When the interval begins.'), ...totals }), {
      description: 'With `interval`: those in which something was, the oldest first.',
    }),
  ),
});
