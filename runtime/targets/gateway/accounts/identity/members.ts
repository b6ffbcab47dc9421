import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { Schema, TeamMemberRow } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';
import { inputProblem, notFound } from './checks.ts';
import { requireGroup } from './groups.ts';
import type { Members, Membership, TeamRole } from './groups-api.ts';

export function createMembers({ db }: Pick<Store, 'db'>, revision: FollowedRevision, clock: Clock): Members {
  return {
    list: async (teamId) => {
      await requireGroup(db, 'team', teamId);
      const rows = await db
        .selectFrom('gateway_team_members')
        .selectAll()
        .where('team_id', '=', teamId)
        .orderBy('created_at')
        .orderBy('user_id')
        .execute();
      return rows.map(membershipOf);
    },
    originsOf: async (userId) => {
      const { created_at: user } = await db
        .selectFrom('gateway_users')
        .select('created_at')
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      const teams = await db
        .selectFrom('gateway_team_members')
        .innerJoin('gateway_groups', (join) => join.onRef('id', '=', 'team_id').on('kind', '=', 'team'))
        .select(['team_id', 'gateway_groups.created_at as created_at'])
        .where('user_id', '=', userId)
        .execute();
      return { user, teams: new Map(teams.map(({ team_id: id, created_at: created }) => [id, created])) };
    },
    put: async (teamId, userId, role) =>
      await revision.change(async (trx, note) => {
        await requireGroup(trx, 'team', teamId);
        await requirePerson(trx, userId);
        await addMember(trx, { teamId, userId, role }, Math.floor(clock.now()));
        const after = membershipOf(await rowOf(trx, teamId, userId));
        note('team.add_member', teamId, { after });
        return after;
      }),
    remove: async (teamId, userId) =>
      await revision.change(async (trx, note) => {
        await requireGroup(trx, 'team', teamId);
        note('team.remove_member', teamId, { before: membershipOf(await rowOf(trx, teamId, userId)) });
        await trx
          .deleteFrom('gateway_team_members')
          .where('team_id', '=', teamId)
          .where('user_id', '=', userId)
          .execute();
        // A former member can no longer invite others.
        await trx
          .deleteFrom('gateway_invitations')
          .where('team_id', '=', teamId)
          .where('invited_by', '=', userId)
          .execute();
        await trx
          .updateTable('gateway_keys')
          .set({ is_active: 0, updated_at: Math.floor(clock.now()) })
          .where('team_id', '=', teamId)
          .where('user_id', '=', userId)
          .execute();
      }),
    ofUser: async (userId) => {
      const rows = await db
        .selectFrom('gateway_team_members')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('team_id')
        .execute();
      return rows.map(membershipOf);
    },
  };
}

/** Adds a member, or changes a member's role. Without a role, an existing member keeps the current one. */
export async function addMember(
  trx: Transaction<Schema>,
  { teamId, userId, role }: Pick<Membership, 'teamId' | 'userId'> & { readonly role?: TeamRole },
  now: number,
): Promise<void> {
  await trx
    .insertInto('gateway_team_members')
    .values({ team_id: teamId, user_id: userId, role: role ?? 'member', created_at: now })
    .onConflict((conflict) => {
      const same = conflict.columns(['team_id', 'user_id']);
      return role === undefined ? same.doNothing() : same.doUpdateSet({ role });
    })
    .execute();
}

async function rowOf(trx: Kysely<Schema>, teamId: string, userId: string): Promise<TeamMemberRow> {
  const row = isStorable(userId)
    ? await trx
        .selectFrom('gateway_team_members')
        .selectAll()
        .where('team_id', '=', teamId)
        .where('user_id', '=', userId)
        .executeTakeFirst()
    : undefined;
  if (!row) throw notFound(`User '${userId}' is not a member of team '${teamId}'`, 'member_not_found');
  return row;
}

/**
 * Throws for a user that cannot be a member: one that does not exist, or a service account, which belongs to
 * its own team.
 */
export async function requirePerson(trx: Kysely<Schema>, userId: string): Promise<void> {
  const row = isStorable(userId)
    ? await trx
        .selectFrom('gateway_users')
        .select('team_id')
        .where('user_id', '=', userId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
    : undefined;
  if (!row) throw notFound(`User with id '${userId}' not found`, 'user_not_found');
  if (row.team_id === null) return;
  throw inputProblem(
    'user_id',
    `User '${userId}' is a service account of team '${row.team_id}'; only people can be members.`,
  );
}

export const membershipOf = (row: TeamMemberRow): Membership => ({
  teamId: row.team_id,
  userId: row.user_id,
  role: row.role === 'admin' ? 'admin' : 'member',
  createdAt: row.created_at,
});
