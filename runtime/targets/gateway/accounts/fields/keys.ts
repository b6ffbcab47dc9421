import { KEY_BUDGET_FIELDS } from './budgets.ts';
import { type ChangesOf, fields, type NewOf, pickFields, type ValuesOf, withRule } from './field.ts';
import {
  CREATED_FIELD,
  METADATA_FIELD,
  MODELS_FIELD,
  QUEUE_FIELDS,
  RATE_FIELDS,
  SPENDING_FIELD,
} from './shared-fields.ts';

/** What a key is for: calling models, or managing the gateway with its user's role. */
const KEY_SCOPES = ['models', 'manage'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export const KEY_STATUSES = ['active', 'inactive', 'expired'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

export const KEY_FIELDS = fields({
  id: { kind: 'id', shown: 'Key ID, used in paths.', settable: 'never' },
  key_prefix: {
    kind: 'id',
    shown: 'First characters of the key, for identification.',
    settable: 'never',
    label: 'key',
  },
  key_name: {
    kind: 'text',
    description: 'Display name.',
    label: 'name',
    flag: { name: 'name', value: 'name', help: 'Name of the key' },
    isOwners: true,
  },
  user_id: {
    kind: 'owner',
    description: 'Owner of the key, created if missing. Default: a new user for this key.',
    shown: 'User who is billed for requests with the key.',
    settable: 'create',
    label: 'user',
    flag: {
      name: 'user',
      value: 'user_id',
      help: 'Owner of the key, created if missing',
      defaultText: 'a new user for this key',
    },
  },
  team_id: {
    kind: 'reference',
    to: 'team',
    description:
      'Team whose budget, limits and allowed models also apply. The owner becomes a member. Default: none.',
    shown: 'Team that is also billed.',
    settable: 'create',
    label: 'team',
    flag: {
      name: 'team',
      value: 'team_id',
      help: 'Team whose budget, limits and allowed models also apply',
      defaultText: 'none',
    },
    isForModels: true,
  },
  scope: {
    kind: 'word',
    words: KEY_SCOPES,
    description:
      "`models` (default): the key can call models. `manage`: the key cannot call models, but can manage the gateway with its owner's role.",
    settable: 'create',
    flag: {
      value: 'scope',
      help: 'models: call models; manage: manage the gateway with the owner’s role',
      defaultText: 'models',
    },
  },
  created_at: { ...CREATED_FIELD },
  expires_at: {
    kind: 'timeOrNull',
    description: 'Expiry; null if the key never expires. Times without a time zone are in UTC.',
    shown: 'Expiry.',
    label: 'expires',
    flag: {
      name: 'expires',
      value: 'time',
      help: 'Expiry, e.g. 90d, 2027-01-31 or never',
      createdWith: 'never',
    },
    binds: true,
  },
  is_active: {
    kind: 'flag',
    initially: true,
    description: 'False disables the key, true enables it.',
    shown: 'Whether the key is enabled. An enabled key can still have expired.',
    settable: 'update',
    label: '',
    flag: {
      help: '',
      on: { name: 'activate', help: 'Enable the key' },
      off: { name: 'deactivate', help: 'Disable the key' },
    },
    isOwners: true,
  },
  status: {
    kind: 'word',
    words: KEY_STATUSES,
    description: 'Whether the key can be used.',
    settable: 'never',
    isComputed: true,
  },
  allowed_models: {
    ...MODELS_FIELD,
    flag: {
      name: 'model',
      value: 'pattern',
      help: 'Allowed models, e.g. openai:gpt-4o, openai:* or an alias',
      createdWith: 'all',
      off: { name: 'any-model', help: 'Allow all models', only: 'update' },
    },
    binds: true,
    isForModels: true,
  },
  metadata: METADATA_FIELD,
  ...withRule(RATE_FIELDS, { binds: true, isForModels: true }),
  queue_sec: QUEUE_FIELDS.queue_sec,
  priority: { ...QUEUE_FIELDS.priority, binds: true },
  budget: {
    kind: 'parts',
    parts: KEY_BUDGET_FIELDS,
    incomplete: '--alert-at requires a key budget. Set one with --budget.',
    schemas: { request: 'NewKeyBudget', answer: 'KeyBudget' },
    description: "Budget of the key, in addition to its user's budget.",
    shown: '',
    binds: true,
    isForModels: true,
  },
  log_prompts: {
    kind: 'choice',
    description:
      'Whether requests and responses are stored. Null: the configured `prompt_log.enabled` applies.',
    label: 'prompts stored',
    flag: {
      value: 'setting',
      help: 'Whether to store requests and responses; default uses prompt_log.enabled from the configuration',
    },
    teamAdmin: 'tighter',
    binds: true,
  },
  tools: {
    kind: 'labels',
    description:
      'Labels of the MCP servers whose tools each request with the key has. Null: only those in the request.',
    label: 'tools',
    flag: {
      value: 'labels',
      help: 'MCP servers whose tools each request has, separated by commas; none for only those in the request',
      createdWith: 'none',
    },
    isForModels: true,
  },
  allow_shadow: {
    kind: 'flag',
    description:
      'Whether requests with the key can also be sent to the candidates of shadow evaluations and the judges of A/B tests, which can be models of other providers.',
    nullMeans: 'Null means false.',
    label: 'shadow evaluations',
    flag: {
      help: 'Also send requests with the key to candidates of shadow evaluations and judges of A/B tests',
      on: {
        name: 'allow-shadow',
        help: 'Also send requests with the key to candidates of shadow evaluations and judges of A/B tests',
      },
      off: { name: 'no-shadow', help: 'Do not send requests with the key to candidates' },
    },
    teamAdmin: 'off',
    isOwners: true,
  },
  spend: SPENDING_FIELD,
  last_used_at: {
    kind: 'timeOrNull',
    description: 'Time of last use.',
    settable: 'never',
    label: 'last used',
  },
});

/** The fields visible to a key's holder. */
export const HOLDER_KEY_FIELDS = pickFields(KEY_FIELDS, [
  'id',
  'key_prefix',
  'key_name',
  'user_id',
  'team_id',
  'scope',
  'created_at',
  'expires_at',
  'is_active',
  'status',
  'allowed_models',
]);

/** A key's budget. Without thresholds, alerts are sent at the configured ones. */
export type KeyBudget = NonNullable<KeyValues['budget']>;
type KeyValues = ValuesOf<typeof KEY_FIELDS>;

/** How a key was created: by its user after a sign-in, or by another user. */
export type KeyIssuer = 'own' | 'issued';

/** A key as displayed, without its secret, which is not stored. */
export interface Key extends KeyValues {
  readonly issuer: KeyIssuer;
  /** Whether a team member created it for themselves, and no other user has set its limits since. */
  readonly selfMade: boolean;
}

export type KeyChanges = ChangesOf<typeof KEY_FIELDS>;

export interface NewKey extends NewOf<typeof KEY_FIELDS> {
  /** Default: a random one. */
  readonly id?: string | undefined;
  /** Default: `issued`. */
  readonly issuer?: KeyIssuer | undefined;
  /** A team member creates it for themselves, so limits set by others on their keys apply to it as well. */
  readonly selfMade?: boolean | undefined;
}
