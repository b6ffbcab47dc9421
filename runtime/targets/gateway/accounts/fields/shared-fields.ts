import { type Field, fields, nameOf, type ValuesOf } from './field.ts';

/** Rate limits, which users, keys, teams and organizations have. */
export const RATE_FIELDS = fields({
  rpm: {
    kind: 'rate',
    description: 'Requests per minute; null for no limit.',
    label: 'requests per minute',
    flag: { value: 'n', help: 'Requests per minute; none for no limit' },
  },
  tpm: {
    kind: 'rate',
    description: 'Tokens per minute; null for no limit.',
    label: 'tokens per minute',
    flag: { value: 'n', help: 'Tokens per minute; none for no limit' },
  },
  max_parallel: {
    kind: 'rate',
    description: 'Concurrent requests; null for no limit.',
    label: 'concurrent requests',
    flag: { value: 'n', help: 'Concurrent requests; none for no limit' },
  },
});

export type RateLimits = ValuesOf<typeof RATE_FIELDS>;

export const NO_RATES = Object.fromEntries(
  Object.entries<Field>(RATE_FIELDS).map(([name, field]) => [nameOf(name, field), null]),
) as Readonly<Record<keyof RateLimits, null>>;

/** Priorities of waiting requests, which users, keys, teams and organizations have. */
export const PRIORITIES = ['low', 'normal', 'high'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Maximum waiting time in a queue, in seconds. Few clients and proxies wait longer. */
export const MAX_QUEUE_SECONDS = 3600;

/** Whether requests wait instead of being rejected by a rate limit. The first one that is set applies. */
export const QUEUE_FIELDS = fields({
  queue_sec: {
    kind: 'wait',
    description: `Maximum time in seconds that requests wait in a queue instead of being rejected by a rate limit, at most ${MAX_QUEUE_SECONDS}. 0: requests never wait. Null: the setting of the user, team or organization applies.`,
    label: 'queue',
    flag: {
      name: 'queue',
      value: 'seconds',
      help: 'Maximum time that requests wait instead of being rejected by a rate limit; 0 for never, none for the next setting',
    },
    isForModels: true,
  },
  priority: {
    kind: 'wordOrNull',
    words: PRIORITIES,
    description:
      'Priority of requests in a queue. Null: the setting of the user, team or organization applies, or `normal`.',
    label: 'priority',
    flag: { value: 'word', help: 'Priority in a queue: low, normal or high; none for the next setting' },
    teamAdmin: 'never',
    isForModels: true,
  },
});

export type QueueTerms = ValuesOf<typeof QUEUE_FIELDS>;

/** Excludes requests from shadow evaluations and A/B tests, whatever the key allows. Users, teams and organizations have it. */
export const NO_SHADOW_FIELD = {
  kind: 'flag',
  description:
    'Whether requests are never sent to candidates of shadow evaluations and A/B tests, even if `allow_shadow` of the key is true.',
  nullMeans: 'Null means false.',
  label: 'shadow opt-out',
  flag: {
    help: 'Never send requests to candidates of shadow evaluations and A/B tests, whatever their keys allow',
    on: {
      name: 'no-shadow',
      help: 'Never send requests to candidates of shadow evaluations and A/B tests, whatever their keys allow',
    },
    off: { name: 'key-shadow', help: 'Let each key decide about shadow evaluations again' },
  },
} as const;

/** Fields that are identical in several resources. */
export const METADATA_FIELD = {
  kind: 'metadata',
  description: 'Custom metadata, at most 16 KiB as JSON.',
  label: 'metadata',
  flag: {
    value: 'name=value',
    help: 'Metadata as name=value pairs or as one JSON object; replaces existing metadata',
  },
} as const;

export const CREATED_FIELD = {
  kind: 'time',
  description: 'Creation time.',
  settable: 'never',
  label: 'created',
} as const;

export const UPDATED_FIELD = {
  kind: 'time',
  description: 'Time of the last change.',
  settable: 'never',
} as const;

export const SPENDING_FIELD = {
  kind: 'spending',
  as: 'spent',
  description: 'Spending in the current window, in US dollars.',
  settable: 'never',
  isComputed: true,
  label: 'spent',
} as const;

export const RESERVED_FIELD = {
  kind: 'spending',
  description: 'Amount reserved for requests in flight, in US dollars.',
  settable: 'never',
  isComputed: true,
  label: 'reserved',
} as const;

export const WINDOW_FIELDS = fields({
  budget_started_at: {
    kind: 'timeOrNull',
    description: 'Start of the current window.',
    settable: 'never',
    isComputed: true,
    label: 'budget started',
  },
  next_budget_reset_at: {
    kind: 'timeOrNull',
    description: 'Start of the next window.',
    settable: 'never',
    isComputed: true,
    label: 'budget resets',
  },
});

export const MODELS_FIELD = {
  kind: 'models',
  description: 'Allowed models. Null allows all models; an empty list allows none.',
  label: 'models',
} as const;
