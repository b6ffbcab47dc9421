import { messageOf } from '#contract/errors.ts';
import type { Output } from '#serve/cli/command.ts';
import type { AuditEvent } from '../../store/audit/audit-trail.ts';
import type { DatabaseLocation } from '../../store/database-url.ts';
import { versionsOf } from '../../store/migrate.ts';
import { openDatabase } from '../../store/open-store.ts';
import { localActor } from './with-state.ts';

/**
 * Records an operation on the whole database. The operation is already done, so a failure is only a warning.
 * A database with another schema version is left alone, because it may have no audit log.
 */
export async function recordEvent(
  location: DatabaseLocation,
  event: Omit<AuditEvent, 'at'>,
  output: Output,
): Promise<void> {
  try {
    const store = openDatabase(location);
    try {
      const { from, to } = await versionsOf(store);
      if (from !== to) return;
      const { audit, db } = store;
      await audit.actingAs(localActor(), () => audit.record(db, { ...event, at: Date.now() }));
    } finally {
      await store.close();
    }
  } catch (error) {
    output.err(`Warning: This command was not recorded in the audit log: ${messageOf(error)}\n`);
  }
}
