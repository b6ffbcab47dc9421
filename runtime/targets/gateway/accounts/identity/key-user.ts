import type { Transaction } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { checkUserId, inputProblem, notFound } from './checks.ts';
import { addMember } from './members.ts';
import { addUser } from './users.ts';

interface NewKeyOwner {
  readonly userId: string | undefined;
  readonly keyId: string;
  readonly keyName: string | null | undefined;
}

/** Returns the owner of a new key: the requested user, created if missing, or a new user for this key. */
export async function ensureKeyUser(
  trx: Transaction<Schema>,
  { userId, keyId, keyName }: NewKeyOwner,
  now: number,
): Promise<string> {
  if (userId === undefined) {
    const own = `apikey-${keyId}`;
    const alias = `Virtual user for API key: ${keyName || 'unnamed'}`;
    await addUser(trx, { userId: own, alias }, undefined, now);
    return own;
  }
  checkUserId(userId);
  const known = await trx
    .selectFrom('gateway_users')
    .select('deleted_at')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (known && known.deleted_at !== null) {
    throw notFound(`User '${userId}' has been deleted. Recreate via POST /v1/users first.`, 'user_not_found');
  }
  if (!known) await addUser(trx, { userId, alias: `User ${userId}` }, undefined, now);
  return userId;
}

/** Makes the owner of a key a member of its team, and returns the team. Keys of a service account belong to its own team. */
export async function joinTeam(
  trx: Transaction<Schema>,
  { teamId, userId }: { readonly teamId: string | null; readonly userId: string },
  now: number,
): Promise<string | null> {
  const { team_id: own } = await trx
    .selectFrom('gateway_users')
    .select('team_id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (own === null && teamId !== null) await addMember(trx, { teamId, userId }, now);
  if (own === null) return teamId;
  if (own === teamId) return own;
  // The id of another service account can be one that its creator expects to be that of a person.
  if (teamId === null && userId.startsWith(`${own}/`)) return own;
  if (teamId === null)
    throw inputProblem(
      'team_id',
      `User '${userId}' is a service account of team '${own}'. Set team_id to '${own}' to create a key of it.`,
    );
  throw inputProblem(
    'team_id',
    `User '${userId}' is a service account of team '${own}'; it cannot have keys of team '${teamId}'.`,
  );
}
