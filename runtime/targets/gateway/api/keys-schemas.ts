import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { KEY_SCOPES } from '../accounts/identity/identity.ts';
import {
  alertThresholds,
  CLEARED_METADATA,
  count,
  dollars,
  maxBudget,
  metadata,
  momentOrNull,
  rateChanges,
  rates,
  seconds,
  nonEmptyText,
  text,
  time,
  timeOrNull,
} from './http/fields.ts';

const MAX_PATTERNS = 1000;
/** One year. */
const MAX_GRACE_SECONDS = 31_536_000;

export const allowedModels = orNull(
  Type.Array(nonEmptyText('Pattern of models, e.g. `openai:gpt-*`, with `*` as a wildcard.'), {
    maxItems: MAX_PATTERNS,
  }),
  'Allowed models. Null: all, an empty list: none.',
);

const logPrompts = orNull(
  Type.Boolean(),
  'Whether requests and answers are stored. Null: as `prompt_log.enabled` of the configuration.',
);

const changes = {
  key_name: Type.Optional(orNull(text('Display name.'))),
  expires_at: Type.Optional(momentOrNull('Expiry. A time without a zone is in UTC. Null: never.')),
  metadata: Type.Optional(orNull(metadata, CLEARED_METADATA)),
  allowed_models: Type.Optional(allowedModels),
  ...rateChanges,
  budget: Type.Optional(
    orNull(
      closed('NewKeyBudget', {
        max_budget: Type.Optional(maxBudget),
        budget_duration_sec: Type.Optional(seconds),
        alert_thresholds: Type.Optional(alertThresholds),
      }),
      'Budget of the key, in addition to the budget of its user.',
    ),
  ),
  log_prompts: Type.Optional(logPrompts),
};

const scope = oneOf(KEY_SCOPES, {
  description:
    '`models` calls models (default); `manage` calls no models, but manages the gateway with the role of the owner.',
});

export const newKey = closed('NewKey', {
  ...changes,
  user_id: Type.Optional(
    orNull(nonEmptyText('Owner of the key, created if missing. Default: a new user for this key.')),
  ),
  team_id: Type.Optional(
    orNull(
      nonEmptyText(
        'Team whose budget, limits and models apply too. The owner becomes a member. Default: none.',
      ),
    ),
  ),
  scope: Type.Optional(scope),
});

export const keyChanges = closed('KeyChanges', {
  ...changes,
  is_active: Type.Optional(Type.Boolean({ description: 'False disables the key, true enables it.' })),
});

export const rotation = closed('KeyRotation', {
  grace_seconds: Type.Optional(
    orNull(
      Type.Integer({ minimum: 0, maximum: MAX_GRACE_SECONDS }),
      'How long the old secret stays valid, in seconds (default: 0).',
    ),
  ),
});

const summary = {
  id: Type.String({ description: 'Key id, used in paths.' }),
  key_prefix: Type.String({ description: 'First characters of the key, to recognize it.' }),
  key_name: orNull(Type.String()),
  user_id: orNull(Type.String({ description: 'User who is billed for the key.' })),
  team_id: orNull(Type.String({ description: 'Team that is billed too.' })),
  scope,
  created_at: time('Creation time.'),
  expires_at: timeOrNull('Expiry.'),
  is_active: Type.Boolean({ description: 'Whether the key is enabled. An enabled key can be expired.' }),
  status: oneOf(['active', 'inactive', 'expired'], { description: 'Whether the key can be used.' }),
  allowed_models: allowedModels,
};

const settings = {
  ...summary,
  metadata,
  ...rates,
  budget: orNull(
    closed('KeyBudget', {
      max_budget: maxBudget,
      budget_duration_sec: seconds,
      alert_thresholds: alertThresholds,
    }),
  ),
  log_prompts: logPrompts,
  spend: dollars('Spending in the current window, in US dollars.'),
};

const lastUsedAt = timeOrNull('Time of the last use.');

export const key = closed('Key', { ...settings, last_used_at: lastUsedAt });
export const keyList = Type.Array(key);

export const createdKey = closed('CreatedKey', {
  ...settings,
  key: Type.String({ description: 'The key itself, which is returned only once.' }),
});

const allowance = closed('Allowance', {
  used: count(
    'Use in the last minute, which is counted only if there is a limit; for `parallel`, the current use.',
  ),
  limit: orNull(count()),
  remaining: orNull(count()),
});

const account = closed('Account', {
  spend: dollars('Spending in the current window, in US dollars.'),
  reserved: dollars('Amount reserved for requests in flight, in US dollars.'),
  max_budget: maxBudget,
  remaining: orNull(dollars('Amount that can still be spent, in US dollars.')),
  budget_started_at: timeOrNull('Start of the current window.'),
  next_budget_reset_at: timeOrNull('Start of the next window.'),
  requests: allowance,
  tokens: allowance,
  parallel: allowance,
});

export const ownKey = closed('OwnKey', {
  ...summary,
  quota: closed(
    'Quota',
    {
      user: account,
      key: account,
      team: Type.Optional(account),
      organization: Type.Optional(account),
    },
    'Used and remaining quota. The limits of the key, the user, the team and the organization all apply.',
  ),
});
