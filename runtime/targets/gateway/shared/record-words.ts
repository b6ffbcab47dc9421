import type { AppError } from '#contract/errors.ts';

// Words stored in database columns. The columns use these types, so that a view cannot mistake one word for
// another.

/** Actor kinds in the audit log. */
export const ACTORS = ['master', 'key', 'anyone', 'cli', 'gateway'] as const;
export type ActorKind = (typeof ACTORS)[number];

/** Event outcomes in the audit log. */
export const OUTCOMES = ['success', 'failed', 'refused'] as const;
export type AuditOutcome = (typeof OUTCOMES)[number];

/** The states of an alert: not sent yet, sent, or given up. */
export const ALERT_STATES = ['pending', 'sent', 'failed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** What a guardrail did with text: block it, only report it, or mask it. */
export const HIT_MODES = ['block', 'monitor', 'mask'] as const;
export type HitMode = (typeof HIT_MODES)[number];
export type HitPlace = 'input' | 'output';

/** A judgement of a response. */
export const THUMBS = ['up', 'down'] as const;
export type Thumb = (typeof THUMBS)[number];

/**
 * A request's outcome. `cancelled`: the client disconnected, which is not a failure of the model or the
 * gateway. `interrupted`: the gateway was killed before the request finished.
 */
export const USAGE_STATUSES = ['success', 'error', 'cancelled', 'interrupted'] as const;
export type UsageStatus = (typeof USAGE_STATUSES)[number];

/** Whether a row counts as a failure in error rates. */
export const isFailedStatus = (status: UsageStatus): boolean =>
  status === 'error' || status === 'interrupted';

/** The status of a request that ends with this error; undefined for a normal response. */
export const statusAfter = (error: AppError | undefined): UsageStatus =>
  error === undefined ? 'success' : error.code === 'CancelledError' ? 'cancelled' : 'error';
