import type { Space } from '../shared/owner.ts';
import type {
  ActorKind,
  AlertState,
  AuditOutcome,
  HitMode,
  HitPlace,
  UsageStatus,
} from '../shared/record-words.ts';
import {
  bigint,
  bytes,
  integer,
  nanos,
  nullable,
  real,
  table,
  textColumn,
  textOf,
  type RowOf,
} from './define-table.ts';

/** Tables of what requests and administrators did, of sums of it, and of what is kept for later requests. */
export const RECORD_TABLES = {
  /** The only row of the stored price map. */
  gateway_price_map: table({
    id: integer,
    date: textColumn,
    source: textColumn,
    updated_at: bigint,
    content: textColumn,
  }),
  /** A cached answer. */
  gateway_answers: table(
    {
      key: textColumn,
      target: textColumn,
      prompt_tokens: bigint,
      completion_tokens: bigint,
      /** List of names as JSON. */
      dropped_tools: textColumn,
      created_at: bigint,
      expires_at: bigint,
      /** Size in bytes of the whole row. */
      size: bigint,
      /** The questions that its own one is compared with; null if it is not compared. */
      question_group: nullable(textColumn),
      /** Little-endian 32-bit numbers. */
      vector: nullable(bytes),
      /** The experiment whose workflows share the answer; null for answers to clients. */
      experiment_id: nullable(textColumn),
      body: bytes,
      api_key_id: nullable(textColumn),
    },
    {
      indexes: {
        gateway_answers_api_key_id: { columns: ['api_key_id'] },
        gateway_answers_created_at: { columns: ['created_at', 'size'] },
        gateway_answers_experiment: { columns: ['experiment_id'] },
        gateway_answers_expires_at: { columns: ['expires_at'] },
      },
    },
  ),
  gateway_cache_clears: table({
    api_key_id: textColumn,
    cleared_at: bigint,
  }),
  /** An alert about a budget, which is sent to the webhook until it is accepted. */
  gateway_alerts: table(
    {
      /** The same for every gateway that raises the alert. */
      id: textColumn,
      kind: textColumn,
      account_id: textColumn,
      /** The name of the account, for people. */
      label: textColumn,
      /** Percentage of the budget; null for a rejected request. */
      threshold: nullable(integer),
      spent_nano: nanos,
      limit_nano: nanos,
      window_started_at: nullable(bigint),
      window_ends_at: nullable(bigint),
      created_at: bigint,
      state: textOf<AlertState>(),
      attempts: integer,
      /** When a gateway can try to send it. A gateway that tries moves it into the future, so that no other one does. */
      next_attempt_at: bigint,
      sent_at: nullable(bigint),
      /** Why the last attempt failed. */
      problem: nullable(textColumn),
    },
    { indexes: { gateway_alerts_due: { columns: ['state', 'next_attempt_at'] } } },
  ),
  /** How many tokens of a model one token of its estimate is, for texts in a script. */
  gateway_token_factors: table(
    {
      model: textColumn,
      script: textColumn,
      factor_millionths: bigint,
      updated_at: bigint,
    },
    { key: ['model', 'script'] },
  ),
  /** A change by an administrator, or a rejected attempt. Rows are only added, and deleted when they are older than the retention. */
  gateway_audit: table(
    {
      /** A UUID of version 7, so that ids of one process are in order. */
      id: textColumn,
      at: bigint,
      actor: textOf<ActorKind>(),
      /** Id of the key, prefix of a refused key, or name of the user of the operating system. */
      actor_id: nullable(textColumn),
      actor_user: nullable(textColumn),
      address: nullable(textColumn),
      /** The header X-Forwarded-For, which clients can set to anything. */
      forwarded_for: nullable(textColumn),
      request_id: nullable(textColumn),
      /** The kind of object and what happened to it, e.g. `key.update`. */
      action: textColumn,
      object: nullable(textColumn),
      outcome: textOf<AuditOutcome>(),
      reason: nullable(textColumn),
      /** The members that changed, as JSON. */
      before: nullable(textColumn),
      after: nullable(textColumn),
      /** Number of attempts; more than 1 only for refused ones that are recorded together. */
      count: bigint,
    },
    { indexes: { gateway_audit_by_time: { columns: ['at', 'id'] } } },
  ),
  /** A request and its answer, without secrets. */
  gateway_prompts: table(
    {
      id: textColumn,
      /** Start of the request. */
      at: bigint,
      /** That of the usage row. */
      request_id: textColumn,
      user_id: nullable(textColumn),
      api_key_id: nullable(textColumn),
      model: textColumn,
      endpoint: textColumn,
      status: textOf<UsageStatus>(),
      /** The body as JSON, which is cut if it is too long. */
      request: textColumn,
      /** The output of the model; null without one. */
      answer: nullable(textColumn),
      truncated: integer,
    },
    {
      indexes: {
        gateway_prompts_by_request: { columns: ['request_id'] },
        gateway_prompts_by_time: { columns: ['at', 'id'] },
      },
    },
  ),
  /** A file, a batch or a response that a provider stores. */
  gateway_objects: table(
    {
      /** The id that the provider gave it. */
      id: textColumn,
      provider: textColumn,
      kind: textColumn,
      user_id: textColumn,
      /** Who can see it. */
      space: nullable(textOf<Space>()),
      /** The key that pays for it. */
      key_id: nullable(textColumn),
      /** The model that works on it, `provider:model`. */
      model: nullable(textColumn),
      created_at: bigint,
      /** The last state that the provider reported, as JSON. */
      content: textColumn,
      /** What its cost is estimated from, as JSON. */
      plan: nullable(textColumn),
      /** The reservation of what is not paid yet. */
      hold_id: nullable(textColumn),
      /** When a gateway last asked whether it is finished. */
      checked_at: nullable(bigint),
    },
    {
      key: ['kind', 'id'],
      indexes: {
        gateway_objects_hold: { columns: ['hold_id'] },
        gateway_objects_space: { columns: ['space', 'created_at'] },
        gateway_objects_user: { columns: ['user_id', 'kind', 'created_at'] },
      },
    },
  ),
  gateway_object_masks: table(
    {
      kind: textColumn,
      id: textColumn,
      sealed: bytes,
    },
    { key: ['kind', 'id'] },
  ),
  gateway_sign_in_codes: table({
    id: textColumn,
    expires_at: bigint,
  }),
  /** Sums of the usage rows of one interval that have the same name, within a scope. */
  gateway_usage_sums: table(
    {
      /** Length of the interval: 1 or 24 hours. */
      hours: integer,
      /** What the name is: `model`, `user`, `key`, `team` or `organization`. */
      kind: textColumn,
      /** Whose usage it is, e.g. `user:ada`; empty for that of all. */
      scope: textColumn,
      /** Start of the interval, in UTC. */
      start: bigint,
      /** Empty for rows without one, e.g. without a team. */
      name: textColumn,
      requests: bigint,
      errors: bigint,
      prompt_tokens: bigint,
      completion_tokens: bigint,
      cached_tokens: bigint,
      total_tokens: bigint,
      cost_nano: nanos,
      /** Distributions of durations of a model, see `speeds.ts`; null for other kinds. */
      speeds: nullable(textColumn),
    },
    { key: ['hours', 'kind', 'scope', 'start', 'name'] },
  ),
  /** The only row about the sums. */
  gateway_usage_counted: table({
    id: integer,
    /** Usage rows before this time are in the sums, and no others. */
    counted_until: bigint,
  }),
  /** A text that a guardrail flagged. The text itself is not stored. */
  gateway_guardrail_hits: table(
    {
      /** A UUID of version 7. */
      id: textColumn,
      at: bigint,
      request_id: textColumn,
      user_id: nullable(textColumn),
      api_key_id: nullable(textColumn),
      team_id: nullable(textColumn),
      endpoint: textColumn,
      /** Model that the request named. */
      model: textColumn,
      profile: textColumn,
      mode: textOf<HitMode>(),
      place: textOf<HitPlace>(),
      score: nullable(real),
      explanation: textColumn,
    },
    { indexes: { gateway_guardrail_hits_by_time: { columns: ['at', 'id'] } } },
  ),
};

export type AlertRow = RowOf<typeof RECORD_TABLES.gateway_alerts>;
export type AuditRow = RowOf<typeof RECORD_TABLES.gateway_audit>;
export type PromptRow = RowOf<typeof RECORD_TABLES.gateway_prompts>;
export type StoredObjectRow = RowOf<typeof RECORD_TABLES.gateway_objects>;
export type UsageSumRow = RowOf<typeof RECORD_TABLES.gateway_usage_sums>;
export type GuardrailHitRow = RowOf<typeof RECORD_TABLES.gateway_guardrail_hits>;
