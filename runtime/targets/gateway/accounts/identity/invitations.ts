import type { Kysely, Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { InvitationRow, Schema } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';
import { checkUserId, notFound } from './checks.ts';
import { requireGroup } from './groups.ts';
import type { Invitation, Invitations } from './groups-api.ts';
import { addMember, membershipOf, requirePerson } from './members.ts';

const LIFETIME_MS = 30 * 24 * 3_600_000;
/** Maximum number of open invitations per team. */
const MAX_OPEN = 1000;

export function createInvitations(
  { db }: Pick<Store, 'db'>,
  revision: FollowedRevision,
  clock: Clock,
): Invitations {
  const now = (): number => Math.floor(clock.now());
  const open = (trx: Kysely<Schema>) =>
    trx.selectFrom('gateway_invitations').selectAll().where('expires_at', '>', now());
  const one = async (trx: Kysely<Schema>, teamId: string, userId: string): Promise<Invitation> => {
    const isKnown = isStorable(teamId) && isStorable(userId);
    const row = isKnown
      ? await open(trx).where('team_id', '=', teamId).where('user_id', '=', userId).executeTakeFirst()
      : undefined;
    if (row) return invitationOf(row);
    throw notFound(
      `No invitation of user '${userId}' to team '${teamId}', or it has expired`,
      'invitation_not_found',
    );
  };
  const remove = async (trx: Transaction<Schema>, teamId: string, userId: string): Promise<void> => {
    await trx
      .deleteFrom('gateway_invitations')
      .where('team_id', '=', teamId)
      .where('user_id', '=', userId)
      .execute();
  };
  return {
    put: async ({ teamId, userId, role, invitedBy }) =>
      await revision.change(async (trx, note) => {
        checkUserId(userId);
        await requireGroup(trx, 'team', teamId);
        await trx.deleteFrom('gateway_invitations').where('expires_at', '<=', now()).execute();
        await remove(trx, teamId, userId);
        await requireRoom(trx, teamId);
        await trx
          .insertInto('gateway_invitations')
          .values({
            team_id: teamId,
            user_id: userId,
            role,
            invited_by: invitedBy,
            created_at: now(),
            expires_at: now() + LIFETIME_MS,
          })
          .execute();
        const after = await one(trx, teamId, userId);
        note('team.invite', teamId, { after });
        return after;
      }),
    ofTeam: async (teamId) =>
      (await open(db).where('team_id', '=', teamId).orderBy('created_at').orderBy('user_id').execute()).map(
        invitationOf,
      ),
    ofUser: async (userId) =>
      (await open(db).where('user_id', '=', userId).orderBy('team_id').execute()).map(invitationOf),
    accept: async (teamId, userId) =>
      await revision.change(async (trx, note) => {
        const { role } = await one(trx, teamId, userId);
        await requirePerson(trx, userId);
        await remove(trx, teamId, userId);
        await addMember(trx, { teamId, userId, role }, now());
        const row = await trx
          .selectFrom('gateway_team_members')
          .selectAll()
          .where('team_id', '=', teamId)
          .where('user_id', '=', userId)
          .executeTakeFirstOrThrow();
        const after = membershipOf(row);
        note('team.add_member', teamId, { after });
        return after;
      }),
    delete: async (teamId, userId) =>
      await revision.change(async (trx, note) => {
        const before = await one(trx, teamId, userId);
        await remove(trx, teamId, userId);
        note('team.remove_invitation', teamId, { before });
      }),
  };
}

async function requireRoom(trx: Transaction<Schema>, teamId: string): Promise<void> {
  const { invitations } = await trx
    .selectFrom('gateway_invitations')
    .select((row) => row.fn.countAll<number>().as('invitations'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();
  if (invitations < MAX_OPEN) return;
  throw new AppError(
    'ConflictError',
    `Team '${teamId}' has ${invitations} open invitations, and the maximum is ${MAX_OPEN}. Delete some of them.`,
    { reason: 'too_many_invitations' },
  );
}

const invitationOf = (row: InvitationRow): Invitation => ({
  ...membershipOf(row),
  invitedBy: row.invited_by,
  expiresAt: row.expires_at,
});
