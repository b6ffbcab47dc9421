import type { Transaction } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { checkUserId, notFound } from './checks.ts';
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
