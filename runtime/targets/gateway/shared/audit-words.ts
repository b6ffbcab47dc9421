/** Kinds of actors in the audit log. */
export const ACTORS = ['master', 'key', 'anyone', 'cli', 'gateway'] as const;
export type ActorKind = (typeof ACTORS)[number];

/** Outcomes of events in the audit log. */
export const OUTCOMES = ['success', 'failed', 'refused'] as const;
export type AuditOutcome = (typeof OUTCOMES)[number];
