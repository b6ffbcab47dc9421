import type { Kysely } from 'kysely';

/** Adds invitations to teams, which the invited users accept or decline. */
export async function addInvitations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_invitations')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('invited_by', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_invitations_key', ['team_id', 'user_id'])
    .execute();
  await db.schema
    .createIndex('gateway_invitations_user')
    .on('gateway_invitations')
    .column('user_id')
    .execute();
}
