import type { Nanos } from '../shared/money.ts';

/** Tables that are computed from the usage, with the conventions of `Schema`. */
export interface SumsSchema {
  gateway_usage_sums: UsageSumRow;
  gateway_usage_counted: UsageCountedRow;
  gateway_guardrail_hits: GuardrailHitRow;
}

/** Sums of the usage rows of one interval that have the same name, within a scope. */
export interface UsageSumRow {
  /** Length of the interval: 1 or 24 hours. */
  readonly hours: number;
  /** What the name is: `model`, `user`, `key`, `team` or `organization`. */
  readonly kind: string;
  /** Whose usage it is, e.g. `user:ada`; empty for that of all. */
  readonly scope: string;
  /** Start of the interval, in UTC. */
  readonly start: number;
  /** Empty for rows without one, e.g. without a team. */
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly total_tokens: number;
  readonly cost_nano: Nanos;
  /** Distributions of durations of a model, see `speeds.ts`; null for other kinds. */
  readonly speeds: string | null;
}

/** The only row about the sums. */
interface UsageCountedRow {
  readonly id: number;
  /** Usage rows before this time are in the sums, and no others. */
  readonly counted_until: number;
}

/** A text that a guardrail flagged. The text itself is not stored. */
export interface GuardrailHitRow {
  /** A UUID of version 7. */
  readonly id: string;
  readonly at: number;
  readonly request_id: string;
  readonly user_id: string | null;
  readonly api_key_id: string | null;
  readonly team_id: string | null;
  readonly endpoint: string;
  /** Model that the request named. */
  readonly model: string;
  readonly profile: string;
  /** `block`, `monitor` or `mask`. */
  readonly mode: string;
  /** `input` or `output`. */
  readonly place: string;
  readonly score: number | null;
  readonly explanation: string;
}
