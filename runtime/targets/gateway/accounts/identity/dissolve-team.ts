import type { Transaction } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { isOfTeam } from '../../store/space-columns.ts';

/** Removes the members of a team, its invitations and its secrets, disables its keys, and deletes its service accounts with their keys. */
export async function dissolveTeam(trx: Transaction<Schema>, teamId: string, now: number): Promise<void> {
  await trx.deleteFrom('gateway_team_members').where('team_id', '=', teamId).execute();
  await trx.deleteFrom('gateway_invitations').where('team_id', '=', teamId).execute();
  const { owner_id: ownerId } = await trx
    .selectFrom('gateway_groups')
    .select('owner_id')
    .where('kind', '=', 'team')
    .where('id', '=', teamId)
    .executeTakeFirstOrThrow();
  await trx.deleteFrom('gateway_secrets').where(isOfTeam(ownerId)).execute();
  await trx
    .updateTable('gateway_keys')
    .set({ is_active: 0, updated_at: now })
    .where((row) =>
      row.or([
        row('team_id', '=', teamId),
        row('user_id', 'in', row.selectFrom('gateway_users').select('user_id').where('team_id', '=', teamId)),
      ]),
    )
    .execute();
  await trx
    .updateTable('gateway_users')
    .set({ deleted_at: now, updated_at: now })
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .execute();
}
