import { Type } from 'typebox';
import { closed, orNull } from '#serve/http/schemas.ts';
import { KEY_BUDGET_FIELDS } from '../accounts/fields/budgets.ts';
import { HOLDER_KEY_FIELDS, KEY_FIELDS } from '../accounts/fields/keys.ts';
import { answerMembers, requestMembers } from './http/field-schemas.ts';
import { count, dollars, timeOrNull } from './http/fields.ts';

/** Maximum grace period during which a replaced secret remains valid: one year. */
const MAX_GRACE_SECONDS = 31_536_000;

/** The first members in requests. */
const FIRST = [
  'key_name',
  'expires_at',
  'metadata',
  'allowed_models',
  'rpm',
  'tpm',
  'max_parallel',
  'budget',
  'log_prompts',
  'tools',
];

export const newKeyBody = closed('NewKey', requestMembers(KEY_FIELDS, 'create', FIRST));
export const keyChanges = closed('KeyChanges', requestMembers(KEY_FIELDS, 'update', FIRST));

export const rotation = closed('KeyRotation', {
  grace_seconds: Type.Optional(
    orNull(
      Type.Integer({ minimum: 0, maximum: MAX_GRACE_SECONDS }),
      'How long the old secret stays valid, in seconds (default: 0).',
    ),
  ),
});

const { last_used_at, ...members } = answerMembers(KEY_FIELDS);

export const key = closed('Key', { ...members, last_used_at });
export const keyList = Type.Array(key);

export const createdKey = closed('CreatedKey', {
  ...members,
  key: Type.String({ description: 'The key itself, which is returned only once.' }),
});

const allowance = closed('Allowance', {
  used: count(
    'Usage in the last minute, counted only if there is a limit. For `parallel`, the current usage.',
  ),
  limit: orNull(count()),
  remaining: orNull(count()),
});

const limitState = {
  spend: dollars('Spending in the current window, in US dollars.'),
  reserved: dollars('Amount reserved for requests in flight, in US dollars.'),
  max_budget: answerMembers(KEY_BUDGET_FIELDS).max_budget,
  remaining: orNull(dollars('Amount that can still be spent, in US dollars.')),
  budget_started_at: timeOrNull('Start of the current window.'),
  next_budget_reset_at: timeOrNull('Start of the next window.'),
};

const account = closed('Account', {
  ...limitState,
  requests: allowance,
  tokens: allowance,
  parallel: allowance,
});

export const ownKey = closed('OwnKey', {
  ...answerMembers(HOLDER_KEY_FIELDS),
  quota: closed(
    'Quota',
    {
      user: account,
      key: account,
      team: Type.Optional(account),
      organization: Type.Optional(account),
      limits: Type.Optional(
        Type.Array(
          closed('LimitState', {
            name: Type.String({ description: 'Whose budget has the limit, and the limit.' }),
            models: orNull(Type.Array(Type.String()), 'The models whose cost counts. Null: all models.'),
            ...limitState,
          }),
          { description: 'The further limits of all budgets.' },
        ),
      ),
    },
    'Used and remaining quota. The limits of the key, the user, the team and the organization all apply.',
  ),
});
