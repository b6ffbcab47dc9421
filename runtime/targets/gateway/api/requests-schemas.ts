import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { count, dollars, time } from './http/fields.ts';
import { usageLog } from './usage-schemas.ts';

export const requestPage = closed('RequestPage', {
  items: Type.Array(usageLog, { description: 'Requests and failed attempts, newest first.' }),
  next: orNull(Type.String(), '`cursor` of the next page; null if this is the last one.'),
});

const costPart = closed('CostPart', {
  part: oneOf(['input', 'cached_input', 'cache_write', 'cache_write_1h', 'output', 'other'], {
    description: '`other`: usage that is not billed by tokens, e.g. web searches.',
  }),
  tokens: orNull(count()),
  price_per_million: orNull(dollars(), 'Price per million tokens, in US dollars.'),
  cost: dollars('Cost in US dollars.'),
});

export const requestDetails = closed('RequestDetails', {
  id: Type.String(),
  request_id: orNull(Type.String()),
  attempts: Type.Array(
    closed('RequestAttempt', {
      usage: usageLog,
      cost_parts: orNull(
        Type.Array(costPart),
        'Parts of the cost; null if it is 0 or unknown, or if the price has changed since.',
      ),
    }),
    { description: 'The attempts in order; the last one has the response.' },
  ),
});

const liveAttempt = closed('LiveAttempt', {
  model: Type.String({ description: 'Model, `provider:model`.' }),
  outcome: oneOf(['answered', 'failed', 'skipped']),
  failure: orNull(Type.String(), 'Kind of failure.'),
  duration_ms: Type.Number({ minimum: 0 }),
});

export const liveRequests = Type.Array(
  closed('LiveRequest', {
    request_id: Type.String(),
    endpoint: Type.String({ description: 'Path of the endpoint.' }),
    started_at: time('Start of the request.'),
    duration_ms: Type.Number({ minimum: 0, description: 'Time since the start, in milliseconds.' }),
    user_id: orNull(Type.String(), 'Null until the request is admitted.'),
    api_key_id: orNull(Type.String()),
    team_id: orNull(Type.String()),
    model: orNull(Type.String(), 'Model that is responding; null until a model responds.'),
    attempts: Type.Array(liveAttempt, { description: 'Finished attempts.' }),
  }),
);
