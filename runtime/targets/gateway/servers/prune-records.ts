import type { GatewayConfig } from '../config/spec.ts';
import type { GatewayState } from '../gateway-state.ts';

/** Deletes records that are older than their retention. */
export async function pruneRecords(
  { auditLog, guardrailHits, promptLog }: Pick<GatewayState, 'auditLog' | 'guardrailHits' | 'promptLog'>,
  { audit, promptLog: prompts }: Pick<GatewayConfig, 'audit' | 'promptLog'>,
  now: number,
): Promise<void> {
  await auditLog.prune(timeOf(audit.retentionMs, now));
  await guardrailHits.prune(timeOf(audit.retentionMs, now));
  await promptLog.prune(timeOf(prompts.retentionMs, now));
}

/** The time before which records are deleted. */
const timeOf = (retentionMs: number | undefined, now: number): number =>
  retentionMs === undefined ? 0 : Math.floor(now - retentionMs);
