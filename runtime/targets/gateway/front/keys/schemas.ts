import { Type } from 'typebox';
import { closed, oneOf, orNull } from '../../../../serve/http/schemas.ts';
import {
  CLEARED_METADATA,
  count,
  dollars,
  maxBudget,
  metadata,
  momentOrNull,
  rateChanges,
  rates,
  seconds,
  someText,
  text,
  time,
  timeOrNull,
} from '../http/fields.ts';

const MOST_PATTERNS = 1000;
/** A year. */
const LONGEST_GRACE = 31_536_000;

const allowedModels = orNull(
  Type.Array(someText('A model, as `openai:gpt-*`: `*` stands for anything.'), { maxItems: MOST_PATTERNS }),
  'The models that the key may use. Null for all, an empty list for none.',
);

const changes = {
  key_name: Type.Optional(orNull(text('A name for people.'))),
  expires_at: Type.Optional(
    momentOrNull(
      'When the key stops working. A time without a zone is in UTC. Null for a key that does not expire.',
    ),
  ),
  metadata: Type.Optional(orNull(metadata, CLEARED_METADATA)),
  allowed_models: Type.Optional(allowedModels),
  ...rateChanges,
  budget: Type.Optional(
    orNull(
      closed('NewKeyBudget', {
        max_budget: Type.Optional(maxBudget),
        budget_duration_sec: Type.Optional(seconds),
      }),
      'What may be spent with this key, beside what its user may spend.',
    ),
  ),
};

export const newKey = closed('NewKey', {
  ...changes,
  user_id: Type.Optional(
    orNull(
      someText('Whose key it is; made if there is no such user. Without it the key gets a user of its own.'),
    ),
  ),
});

export const keyChanges = closed('KeyChanges', {
  ...changes,
  is_active: Type.Optional(Type.Boolean({ description: 'False turns the key off, true turns it on again.' })),
});

export const rotation = closed('KeyRotation', {
  grace_seconds: Type.Optional(
    orNull(
      Type.Integer({ minimum: 0, maximum: LONGEST_GRACE }),
      'How long the old key still works; 0 unless said otherwise.',
    ),
  ),
});

const shown = {
  id: Type.String({ description: 'Names the key in paths.' }),
  key_prefix: Type.String({ description: 'How the key begins, to recognise it.' }),
  key_name: orNull(Type.String()),
  user_id: orNull(Type.String({ description: 'Who pays for what is done with the key.' })),
  created_at: time('When it was made.'),
  expires_at: timeOrNull('When it stops working.'),
  is_active: Type.Boolean({ description: 'Whether it is turned on; it may have expired.' }),
  status: oneOf(['active', 'inactive', 'expired'], { description: 'Whether it works.' }),
  allowed_models: allowedModels,
};

const settings = {
  ...shown,
  metadata,
  ...rates,
  budget: orNull(closed('KeyBudget', { max_budget: maxBudget, budget_duration_sec: seconds })),
  spend: dollars('What was spent with it in this window, in US dollars.'),
};

const lastUsedAt = timeOrNull('When it was last used.');

export const key = closed('Key', { ...settings, last_used_at: lastUsedAt });
export const keys = Type.Array(key);

export const createdKey = closed('CreatedKey', {
  ...settings,
  key: Type.String({ description: 'The key itself: the only time that it is shown.' }),
});

const allowance = closed('Allowance', {
  used: count('In the last minute, which is counted where there is a limit; of `parallel`, now.'),
  limit: orNull(count()),
  remaining: orNull(count()),
});

const account = closed('Account', {
  spend: dollars('In this window, in US dollars.'),
  reserved: dollars('Held for requests that are under way.'),
  max_budget: maxBudget,
  remaining: orNull(dollars('What may still be spent.')),
  budget_started_at: timeOrNull('When this window began.'),
  next_budget_reset_at: timeOrNull('When the next one begins.'),
  requests: allowance,
  tokens: allowance,
  parallel: allowance,
});

export const ownKey = closed('OwnKey', {
  ...shown,
  quota: closed('Quota', { user: account, key: account }, 'What is used and left; both count.'),
});
