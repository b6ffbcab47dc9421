import { USAGE_STATUSES } from '../../accounts/ledger/ledger.ts';
import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { count, time } from '../http/fields.ts';

const textOrNull = (description: string) => orNull(Type.String({ description }));

const head = {
  id: Type.String(),
  at: time('Start of the request.'),
  request_id: Type.String({ description: '`X-Request-Id` of the request, which its usage has, too.' }),
  user_id: textOrNull('User who was billed.'),
  api_key_id: textOrNull('Key of the request; null for the master key.'),
  model: Type.String({ description: 'Model that answered, or that was requested.' }),
  endpoint: Type.String({ description: 'Path of the endpoint.' }),
  status: oneOf(USAGE_STATUSES),
  truncated: Type.Boolean({ description: 'Whether a text was cut at `prompt_log.max_characters`.' }),
};

export const promptPage = closed('PromptPage', {
  total: count('Number of matching requests.'),
  items: Type.Array(closed('PromptHead', head)),
});

export const prompts = Type.Array(
  closed('Prompt', {
    ...head,
    request: Type.String({ description: 'Body of the request as JSON, without secrets. It can be cut.' }),
    answer: textOrNull('Output of the model as text; parts of a stream are joined. Null without one.'),
  }),
);
