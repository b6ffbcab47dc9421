import type { Space } from '../shared/owner.ts';
import type { Nanos } from '../shared/money.ts';

/** Tables of what requests and administrators did, and of what is kept for later requests, with the conventions of `Schema`. */
export interface RecordSchema {
  gateway_price_map: PriceMapRow;
  gateway_answers: AnswerRow;
  gateway_cache_clears: { readonly api_key_id: string; readonly cleared_at: number };
  gateway_alerts: AlertRow;
  gateway_token_factors: TokenFactorRow;
  gateway_audit: AuditRow;
  gateway_prompts: PromptRow;
  gateway_objects: StoredObjectRow;
  gateway_object_masks: { readonly kind: string; readonly id: string; readonly sealed: Uint8Array };
  gateway_sign_in_codes: { readonly id: string; readonly expires_at: number };
}

/** A file, a batch or a response that a provider stores. */
export interface StoredObjectRow {
  /** The id that the provider gave it. */
  readonly id: string;
  readonly provider: string;
  readonly kind: string;
  readonly user_id: string;
  /** Who can see it. */
  readonly space: Space | null;
  /** The key that pays for it. */
  readonly key_id: string | null;
  /** The model that works on it, `provider:model`. */
  readonly model: string | null;
  readonly created_at: number;
  /** The last state that the provider reported, as JSON. */
  readonly content: string;
  /** What its cost is estimated from, as JSON. */
  readonly plan: string | null;
  /** The reservation of what is not paid yet. */
  readonly hold_id: string | null;
  /** When a gateway last asked whether it is finished. */
  readonly checked_at: number | null;
}

/** The only row of the stored price map. */
interface PriceMapRow {
  readonly id: number;
  readonly date: string;
  readonly source: string;
  readonly updated_at: number;
  readonly content: string;
}

/** A cached answer. */
interface AnswerRow {
  readonly key: string;
  readonly target: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** List of names as JSON. */
  readonly dropped_tools: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** Size in bytes of the whole row. */
  readonly size: number;
  /** The questions that its own one is compared with; null if it is not compared. */
  readonly question_group: string | null;
  /** Little-endian 32-bit numbers. */
  readonly vector: Uint8Array | null;
  /** The experiment whose workflows share the answer; null for answers to clients. */
  readonly experiment_id: string | null;
  readonly body: Uint8Array;
  readonly api_key_id: string | null;
}

/** An alert about a budget, which is sent to the webhook until it is accepted. */
export interface AlertRow {
  /** The same for every gateway that raises the alert. */
  readonly id: string;
  readonly kind: string;
  readonly account_id: string;
  /** The name of the account, for people. */
  readonly label: string;
  /** Percentage of the budget; null for a refused request. */
  readonly threshold: number | null;
  readonly spent_nano: Nanos;
  readonly limit_nano: Nanos;
  readonly window_started_at: number | null;
  readonly window_ends_at: number | null;
  readonly created_at: number;
  /** `pending`, `sent` or `failed`. */
  readonly state: string;
  readonly attempts: number;
  /** When a gateway can try to send it. A gateway that tries moves it into the future, so that no other one does. */
  readonly next_attempt_at: number;
  readonly sent_at: number | null;
  /** Why the last attempt failed. */
  readonly problem: string | null;
}

/** How many tokens of a model one token of its estimate is, for texts in a script. */
interface TokenFactorRow {
  readonly model: string;
  readonly script: string;
  readonly factor_millionths: number;
  readonly updated_at: number;
}

/** A change by an administrator, or a refused attempt. Rows are only added, and deleted when they are older than the retention. */
export interface AuditRow {
  /** A UUID of version 7, so that ids of one process are in order. */
  readonly id: string;
  readonly at: number;
  /** `master`, `key`, `anyone`, `cli` or `gateway`. */
  readonly actor: string;
  /** Id of the key, prefix of a refused key, or name of the user of the operating system. */
  readonly actor_id: string | null;
  readonly actor_user: string | null;
  readonly address: string | null;
  /** The header X-Forwarded-For, which clients can set to anything. */
  readonly forwarded_for: string | null;
  readonly request_id: string | null;
  /** The kind of object and what happened to it, e.g. `key.update`. */
  readonly action: string;
  readonly object: string | null;
  /** `success`, `failed` or `refused`. */
  readonly outcome: string;
  readonly reason: string | null;
  /** The members that changed, as JSON. */
  readonly before: string | null;
  readonly after: string | null;
  /** Number of attempts; more than 1 only for refused ones that are recorded together. */
  readonly count: number;
}

/** A request and its answer, without secrets. */
export interface PromptRow {
  readonly id: string;
  /** Start of the request. */
  readonly at: number;
  /** That of the usage row. */
  readonly request_id: string;
  readonly user_id: string | null;
  readonly api_key_id: string | null;
  readonly model: string;
  readonly endpoint: string;
  readonly status: string;
  /** The body as JSON, which is cut if it is too long. */
  readonly request: string;
  /** The output of the model; null without one. */
  readonly answer: string | null;
  readonly truncated: number;
}
