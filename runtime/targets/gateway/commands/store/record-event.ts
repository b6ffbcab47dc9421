import type { AuditEvent } from '../../store/audit/audit-trail.ts';
import type { DatabaseLocation } from '../../store/database-url.ts';
import { versionsOf } from '../../store/migrate.ts';
import { openDatabase } from '../../store/open-store.ts';
import { localActor } from './local-actor.ts';

/** Records what a command did with a database as a whole. Returns false for a database of an older version, which has no audit log. */
export async function recordEvent(
  location: DatabaseLocation,
  event: Omit<AuditEvent, 'at'>,
): Promise<boolean> {
  const store = openDatabase(location);
  try {
    const { from, to } = await versionsOf(store);
    if (from !== to) return false;
    const { audit, db } = store;
    await audit.actingAs(localActor(), () => audit.record(db, { ...event, at: Date.now() }));
    return true;
  } finally {
    await store.close();
  }
}
