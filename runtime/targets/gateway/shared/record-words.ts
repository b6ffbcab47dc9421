// Words that columns of the database contain. Columns have these types, so that a view cannot replace a word that it does not know.

/** Kinds of actors in the audit log. */
export const ACTORS = ['master', 'key', 'anyone', 'cli', 'gateway'] as const;
export type ActorKind = (typeof ACTORS)[number];

/** Outcomes of events in the audit log. */
export const OUTCOMES = ['success', 'failed', 'refused'] as const;
export type AuditOutcome = (typeof OUTCOMES)[number];

/** The states of an alert: not sent yet, sent, or given up. */
export const ALERT_STATES = ['pending', 'sent', 'failed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** What was done with a text: it was blocked, only reported, or masked. */
export const HIT_MODES = ['block', 'monitor', 'mask'] as const;
export type HitMode = (typeof HIT_MODES)[number];
export type HitPlace = 'input' | 'output';

/**
 * The outcome of a request. `cancelled`: its client disconnected, which is not a failure of a model or of the gateway. `interrupted`: the
 * gateway was killed before the end.
 */
export const USAGE_STATUSES = ['success', 'error', 'cancelled', 'interrupted'] as const;
export type UsageStatus = (typeof USAGE_STATUSES)[number];
