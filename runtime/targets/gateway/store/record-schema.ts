import type { Space } from '../shared/owner.ts';
import type {
  ActorKind,
  AlertState,
  AuditOutcome,
  HitMode,
  HitPlace,
  Thumb,
  UsageStatus,
} from '../shared/record-words.ts';
import {
  bigint,
  bytes,
  integer,
  later,
  nanos,
  nullable,
  real,
  table,
  textColumn,
  textOf,
  type RowOf,
} from './define-table.ts';

/**
 * Tables for the actions of requests and administrators, for their aggregates, and for what is kept for later
 * requests.
 */
export const RECORD_TABLES = {
  /** The stored price map (a single row). */
  gateway_price_map: table({
    id: integer,
    date: textColumn,
    source: textColumn,
    updated_at: bigint,
    content: textColumn,
  }),
  /** A cached response. */
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
      /** Size of the whole row in bytes. */
      size: bigint,
      /** Identifies the questions that this one is compared with; null if it is not compared. */
      question_group: nullable(textColumn),
      /** Little-endian 32-bit floats. */
      vector: nullable(bytes),
      /** The experiment whose workflows share the response; null for responses to clients. */
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
  /** A request with an `Idempotency-Key`, and its response once it has ended. */
  gateway_idempotency: table(
    {
      /** Hash of the caller and its key. */
      id: textColumn,
      /** Internal ID of the user; empty for the master key. */
      owner_id: textColumn,
      api_key_id: nullable(textColumn),
      /** Hash of the request. */
      fingerprint: textColumn,
      /** Changes with each request that takes over the row. */
      claim: textColumn,
      request_id: textColumn,
      created_at: bigint,
      expires_at: bigint,
      /** The machine and its process ID namespace, to which `pid` belongs. */
      machine: textColumn,
      pid: integer,
      /** When the process last reported that the request is running; null for a request that has ended. */
      seen_at: nullable(bigint),
      /** The response, encrypted; null while the request is running, and for a response that is not stored. */
      sealed: nullable(bytes),
      /** Why the response is not stored. */
      problem: nullable(textColumn),
      /** Size of `sealed` in bytes. */
      size: bigint,
    },
    {
      indexes: {
        gateway_idempotency_api_key_id: { columns: ['api_key_id'] },
        gateway_idempotency_expires_at: { columns: ['expires_at'] },
        gateway_idempotency_owner: { columns: ['owner_id', 'created_at'] },
      },
    },
  ),
  gateway_cache_clears: table({
    api_key_id: textColumn,
    cleared_at: bigint,
  }),
  /** A budget alert, which is resent to the webhook until it is accepted. */
  gateway_alerts: table(
    {
      /** The same for every gateway that raises the alert. */
      id: textColumn,
      kind: textColumn,
      account_id: textColumn,
      /** The account's display name. */
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
      /**
       * When a gateway can try to send it. A gateway that tries moves it into the future, so that no other
       * gateway does.
       */
      next_attempt_at: bigint,
      sent_at: nullable(bigint),
      /** Why the last attempt failed. */
      problem: nullable(textColumn),
      /** What the alert is about, as JSON, if it is not about a budget. */
      details: nullable(textColumn),
    },
    { indexes: { gateway_alerts_due: { columns: ['state', 'next_attempt_at'] } } },
  ),
  /** For texts in a script, how many of a model's tokens correspond to one estimated token. */
  gateway_token_factors: table(
    {
      model: textColumn,
      script: textColumn,
      factor_millionths: bigint,
      updated_at: bigint,
    },
    { key: ['model', 'script'] },
  ),
  /**
   * A change by an administrator, or a rejected attempt. Rows are only added, and deleted when their
   * retention expires.
   */
  gateway_audit: table(
    {
      /** A version 7 UUID, so that IDs from one process are in order. */
      id: textColumn,
      at: bigint,
      actor: textOf<ActorKind>(),
      /** Key ID, prefix of a rejected key, or operating system user name. */
      actor_id: nullable(textColumn),
      actor_user: nullable(textColumn),
      address: nullable(textColumn),
      /** The X-Forwarded-For header, which clients can set to anything. */
      forwarded_for: nullable(textColumn),
      request_id: nullable(textColumn),
      /** The object kind and what happened to the object, e.g. `key.update`. */
      action: textColumn,
      object: nullable(textColumn),
      outcome: textOf<AuditOutcome>(),
      reason: nullable(textColumn),
      /** The changed members, as JSON. */
      before: nullable(textColumn),
      after: nullable(textColumn),
      /** Number of attempts; more than 1 only for rejected attempts that are recorded together. */
      count: bigint,
    },
    { indexes: { gateway_audit_by_time: { columns: ['at', 'id'] } } },
  ),
  /** A request and its response, without secrets. */
  gateway_prompts: table(
    {
      id: textColumn,
      /** Start of the request. */
      at: bigint,
      /** ID of the usage row. */
      request_id: textColumn,
      user_id: nullable(textColumn),
      api_key_id: nullable(textColumn),
      model: textColumn,
      endpoint: textColumn,
      status: textOf<UsageStatus>(),
      /** HTTP status of the response. */
      status_code: nullable(integer),
      /** Request tags as a JSON list; null without tags. */
      tags: nullable(textColumn),
      /** The body as JSON, truncated if it is too long. */
      request: textColumn,
      /** The model's output; null without one. */
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
  /** A judgement of a request's response, by the caller or a reviewer. There is one per request and author. */
  gateway_feedback: table(
    {
      /** A version 7 UUID. */
      id: textColumn,
      /** Time of the last change. */
      at: bigint,
      created_at: bigint,
      request_id: textColumn,
      /** Internal ID of the user who wrote it; empty for the master key and for commands. */
      author_id: textColumn,
      author: nullable(textColumn),
      thumb: nullable(textOf<Thumb>()),
      score: nullable(real),
      label: nullable(textColumn),
      /** A comment. */
      text: nullable(textColumn),
      /** The output that the model should have returned. */
      expected_output: nullable(textColumn),
      /** Whose request it was, from its usage row. */
      user_id: nullable(textColumn),
      api_key_id: nullable(textColumn),
      team_id: nullable(textColumn),
      model: textColumn,
      endpoint: textColumn,
    },
    {
      indexes: {
        gateway_feedback_author: { columns: ['author_id', 'at'] },
        gateway_feedback_by_time: { columns: ['at', 'id'] },
        gateway_feedback_request: { columns: ['request_id', 'author_id'], isUnique: true },
      },
    },
  ),
  /** A candidate's evaluation with live requests to an alias. Other settings are another evaluation. */
  gateway_shadow_trials: table({
    /** Hash of the alias and the settings. */
    id: textColumn,
    alias: textColumn,
    /** The settings as JSON. */
    settings: textColumn,
    created_at: bigint,
    /** Number of rows ever added; the next row gets the next number. */
    row_count: bigint,
    /** `not_worse`, `worse` or `undecided`. */
    verdict: textColumn,
    decided_at: nullable(bigint),
    /** How long rows are kept, in milliseconds; null for unlimited. */
    retention_ms: nullable(bigint),
  }),
  /** A request that was also sent to the candidate, or that belongs to an A/B test: scores, costs and durations, without any text. */
  gateway_shadow_rows: table(
    {
      /** Random, so that a row that is written again is counted once. */
      id: textColumn,
      trial_id: textColumn,
      /** The order in which rows are compared. */
      number: bigint,
      at: bigint,
      request_id: textColumn,
      user_id: textColumn,
      api_key_id: textColumn,
      /** The model that responded to the user. */
      model: textColumn,
      /** 1 if the candidate gave no response. */
      failed: integer,
      /** The two scores of each metric, or the one of a request in an A/B test, as JSON. */
      scores: textColumn,
      cost_nano: nullable(nanos),
      candidate_cost_nano: nullable(nanos),
      /** What judging cost. */
      scoring_cost_nano: nanos,
      duration_ms: bigint,
      candidate_duration_ms: nullable(bigint),
      /** For streams, the time to the first output. */
      first_ms: nullable(bigint),
      candidate_first_ms: nullable(bigint),
      /** In an A/B test: `current` or `candidate`, whose response the user got. */
      variant: nullable(textColumn),
      /** Hash of the user, or the other unit that always gets the same variant. */
      unit: nullable(textColumn),
      /** The share of the users who got the candidate's responses at that time. */
      share: nullable(real),
      /** Null without a response. */
      output_tokens: nullable(bigint),
    },
    {
      indexes: {
        gateway_shadow_rows_trial: { columns: ['trial_id', 'number'] },
        gateway_shadow_rows_user: { columns: ['user_id'] },
        gateway_shadow_rows_time: { columns: ['trial_id', 'at'] },
      },
    },
  ),
  /** How many requests of an evaluation were not compared, by reason. */
  gateway_shadow_skips: table(
    {
      trial_id: textColumn,
      reason: textColumn,
      count: bigint,
    },
    { key: ['trial_id', 'reason'] },
  ),
  /** A file, batch or response stored at a provider. */
  gateway_objects: table(
    {
      /** The ID assigned by the provider. */
      id: textColumn,
      provider: textColumn,
      /** The name of the provider's key that it was stored with; null if the provider had a single key. */
      provider_key: nullable(textColumn),
      kind: textColumn,
      user_id: textColumn,
      /** Who can see it. */
      space: nullable(textOf<Space>()),
      /** The key that pays for it. */
      key_id: nullable(textColumn),
      /** The model that processes it, `provider:model`. */
      model: nullable(textColumn),
      created_at: bigint,
      /** The last state reported by the provider, as JSON. */
      content: textColumn,
      /** The data that its cost is estimated from, as JSON. */
      plan: nullable(textColumn),
      /** The reservation for what is not paid yet. */
      hold_id: nullable(textColumn),
      /** When a gateway last checked whether it is finished. */
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
  /** Aggregates of the usage rows in one interval that have the same name, within a scope. */
  gateway_usage_sums: table(
    {
      /** Interval length: 1 or 24 hours. */
      hours: integer,
      /** The kind of name: `model`, `user`, `key`, `team` or `organization`. */
      kind: textColumn,
      /** Whose usage it is, e.g. `user:ada`; empty for everyone's. */
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
      cache_write_tokens: bigint,
      total_tokens: bigint,
      cost_nano: nanos,
      cache_saved_nano: nanos,
      /** A model's duration distributions, see `speeds.ts`; null for other kinds. */
      speeds: nullable(textColumn),
      /** The sums of each quarter of an hour in a day, see `quarters.ts`; null for an hour. */
      quarters: later(nullable(textColumn)),
    },
    { key: ['hours', 'kind', 'scope', 'start', 'name'] },
  ),
  /** State of the aggregates (a single row). */
  gateway_usage_counted: table({
    id: integer,
    /** The aggregates contain exactly the usage rows before this time. */
    counted_until: bigint,
  }),
  /** A text that a guardrail flagged. The text itself is not stored. */
  gateway_guardrail_hits: table(
    {
      /** A version 7 UUID. */
      id: textColumn,
      at: bigint,
      request_id: textColumn,
      user_id: nullable(textColumn),
      api_key_id: nullable(textColumn),
      team_id: nullable(textColumn),
      endpoint: textColumn,
      /** The model in the request. */
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
export type IdempotencyRow = RowOf<typeof RECORD_TABLES.gateway_idempotency>;
export type AuditRow = RowOf<typeof RECORD_TABLES.gateway_audit>;
export type FeedbackRow = RowOf<typeof RECORD_TABLES.gateway_feedback>;
export type PromptRow = RowOf<typeof RECORD_TABLES.gateway_prompts>;
export type ShadowRow = RowOf<typeof RECORD_TABLES.gateway_shadow_rows>;
export type StoredObjectRow = RowOf<typeof RECORD_TABLES.gateway_objects>;
export type UsageSumRow = RowOf<typeof RECORD_TABLES.gateway_usage_sums>;
export type GuardrailHitRow = RowOf<typeof RECORD_TABLES.gateway_guardrail_hits>;
