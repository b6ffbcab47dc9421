import { randomUUID } from 'node:crypto';
import { type Kysely, type Transaction, type RawBuilder, sql, type SqlBool, type Selectable } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { Schema, KeyRow, AccountRow } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import { moveWindow, createAccount, deleteAccount, startWindow, spentAt, spentNow } from './accounts.ts';
import { keyAccount } from '../../store/account-ids.ts';
import { cellsOf, emptyCells, valuesOf } from '../../store/field-columns.ts';
import { type Field, nameOf } from '../fields/field.ts';
import { type Key, KEY_FIELDS, type KeyBudget, type KeyStatus } from '../fields/keys.ts';
import type { Keys } from './identity.ts';
import { checkCount, checkExpiry, checkFields, inputProblem, notFound, checkUserId } from './checks.ts';
import { requireGroup } from './groups.ts';
import { issuerOf, keyStatusOf, type LastUsed } from './directory.ts';
import { newKeySecret } from './credentials.ts';
import { addMember } from './members.ts';
import { isServiceAccountId } from './service-account-id.ts';
import { addUser } from './users.ts';
import { containsInAnyCase, startsWith } from '../../store/contains-text.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inOrder, textOrder } from '../../store/in-order.ts';
import { inTeams } from './in-teams.ts';
import type { KeyQuery, Visible } from './list-queries.ts';

export function createKeys(
  { db }: Store,
  revision: FollowedRevision,
  clock: Clock,
  lastUsed: LastUsed,
): Keys {
  const get = async (trx: Kysely<Schema>, id: string): Promise<Key> => {
    const row = isStorable(id)
      ? await selectKeys(trx).where('gateway_keys.id', '=', id).executeTakeFirst()
      : undefined;
    if (!row) throw notFound(`API key with id '${id}' not found`, 'key_not_found');
    return keyOf(row, lastUsed.of(row), clock.now());
  };

  return {
    create: async ({
      id = randomUUID(),
      userId,
      teamId = null,
      scope = 'models',
      issuer = 'issued',
      selfMade,
      ...fields
    }) =>
      await revision.change(async (trx, note) => {
        const now = Math.floor(clock.now());
        checkFields(KEY_FIELDS, fields);
        checkExpiry(fields.expiresAt, now);
        if (scope === 'manage') refuseLimits({ ...fields, teamId });
        if (teamId !== null) await requireGroup(trx, 'team', teamId);
        const secret = newKeySecret();
        const owner = await ensureKeyUser(trx, { userId, keyId: id, keyName: fields.keyName }, now);
        const team = scope === 'models' ? await joinTeam(trx, { teamId, userId: owner }, now) : null;
        const row = {
          id,
          ...hashesOf(secret),
          previous_hash: null,
          previous_expires_at: null,
          ...emptyCells(KEY_FIELDS),
          user_id: owner,
          last_used_at: null,
          created_at: now,
          updated_at: now,
          issuer,
          self_made: Number(selfMade === true),
          ...cellsOf(KEY_FIELDS, { ...fields, scope }),
          team_id: team,
        };
        await trx.insertInto('gateway_keys').values(row).execute();
        await createAccount(trx, keyAccount(id), windowOf(fields.budget, now));
        const key = await get(trx, id);
        note('key.create', id, { after: key });
        return { key, secret: secret.text };
      }),
    list: async ({ skip, limit }, query = {}) => {
      const now = Math.floor(clock.now());
      const rows = await foundKeys(db, query, now).limit(limit).offset(skip).execute();
      return rows.map((row) => keyOf(row, lastUsed.of(row), now));
    },
    get: async (id) => await get(db, id),
    change: async (id, changes) =>
      await revision.change(async (trx, note) => {
        const now = Math.floor(clock.now());
        checkFields(KEY_FIELDS, changes);
        checkExpiry(changes.expiresAt, now);
        const before = await get(trx, id);
        if (before.scope === 'manage') refuseLimits(changes);
        if (changes.isActive === true) await requireMember(trx, before);
        await trx
          .updateTable('gateway_keys')
          // Members cannot change limits, so another user has set them now.
          .set({
            ...cellsOf(KEY_FIELDS, changes),
            ...(setsLimits(changes) && { self_made: 0 }),
            updated_at: now,
          })
          .where('id', '=', id)
          .execute();
        if (changes.budget !== undefined)
          await moveWindow(trx, keyAccount(id), windowOf(changes.budget, now));
        const key = await get(trx, id);
        note('key.update', id, { before, after: key });
        return key;
      }),
    delete: async (id) =>
      await revision.change(async (trx, note) => {
        note('key.delete', id, { before: await get(trx, id) });
        await trx.deleteFrom('gateway_keys').where('id', '=', id).execute();
        await deleteAccount(trx, keyAccount(id));
        await trx.deleteFrom('gateway_idempotency').where('api_key_id', '=', id).execute();
        await trx
          .updateTable('gateway_usage')
          .set({ api_key_id: null })
          .where('api_key_id', '=', id)
          .execute();
      }),
    rotate: async (id, graceSeconds, issuer = 'issued') =>
      await revision.change(async (trx, note) => {
        checkCount('grace_seconds', graceSeconds, 0);
        const now = Math.floor(clock.now());
        const before = await get(trx, id);
        await requireMember(trx, before);
        const secret = newKeySecret();
        await trx
          .updateTable('gateway_keys')
          .set((column) => ({
            ...hashesOf(secret),
            previous_hash: graceSeconds === 0 ? null : column.ref('key_hash'),
            previous_expires_at: graceSeconds === 0 ? null : now + graceSeconds * 1000,
            // A previous holder of the secret keeps what the key could see, so a key never sees more than
            // with its first secret.
            issuer: before.issuer === 'own' ? issuer : 'issued',
            updated_at: now,
          }))
          .where('id', '=', id)
          .execute();
        const key = await get(trx, id);
        note('key.rotate', id, { before, after: { ...key, graceSeconds } });
        return { key, secret: secret.text };
      }),
  };
}

/** Whether changes to a key concern limits that apply to all of a member's keys if another user has set them. */
const setsLimits = (changes: Readonly<Record<string, unknown>>): boolean =>
  Object.entries<Field>(KEY_FIELDS).some(
    ([name, field]) => field.binds && changes[nameOf(name, field)] !== undefined,
  );

/** Throws for a key whose user has left its team: the key was disabled then, and stays disabled. */
async function requireMember(trx: Kysely<Schema>, { teamId, userId }: Key): Promise<void> {
  if (teamId === null) return;
  const row = await trx
    .selectFrom('gateway_users')
    .leftJoin('gateway_team_members', (join) =>
      join
        .onRef('gateway_team_members.user_id', '=', 'gateway_users.user_id')
        .on('gateway_team_members.team_id', '=', teamId),
    )
    .select(['gateway_users.team_id as own_team', 'gateway_team_members.role'])
    .where('gateway_users.user_id', '=', userId)
    .executeTakeFirst();
  if (row?.own_team === teamId || typeof row?.role === 'string') return;
  throw new AppError(
    'ConflictError',
    `User '${userId}' is not a member of team '${teamId}'. Add the user to the team first.`,
    {
      reason: 'not_a_member',
    },
  );
}

/** Throws an InputError for settings that have no meaning for a key that does not call models. */
function refuseLimits(given: Readonly<Record<string, unknown>>): void {
  const [name] =
    Object.entries<Field>(KEY_FIELDS).find(
      ([one, field]) => field.isForModels && (given[nameOf(one, field)] ?? null) !== null,
    ) ?? [];
  if (name === undefined) return;
  throw inputProblem(name, `${name} requires a key with the scope models; this key has the scope manage.`);
}

const hashesOf = ({
  hash,
  prefix,
}: ReturnType<typeof newKeySecret>): { key_hash: string; key_prefix: string } => ({
  key_hash: hash,
  key_prefix: prefix,
});

const windowOf = (budget: KeyBudget | null | undefined, now: number): ReturnType<typeof startWindow> =>
  startWindow(budget && { budget_duration_sec: budget.budgetDurationSec }, now);

interface NewKeyOwner {
  readonly userId: string | undefined;
  readonly keyId: string;
  readonly keyName: string | null | undefined;
}

/** Returns a new key's owner: the requested user, created if missing, or a new user for this key. */
async function ensureKeyUser(
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

/**
 * Adds a key's owner to its team as a member, and returns the team. A service account's keys belong to its
 * own team.
 */
async function joinTeam(
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
  // Another service account's ID can be one that its creator mistakes for a person's.
  if (teamId === null && isServiceAccountId(userId, own)) return own;
  if (teamId === null)
    throw inputProblem(
      'team_id',
      `User '${userId}' is a service account of team '${own}'. Set team_id to '${own}' to create a key for it.`,
    );
  throw inputProblem(
    'team_id',
    `User '${userId}' is a service account of team '${own}'; it cannot have keys for team '${teamId}'.`,
  );
}

const SEARCHED = ['key_name', 'key_prefix', 'user_id', 'gateway_keys.id'];
const CREATED = { by: 'created_at', isDescending: false } as const;

/** Selects the keys for a list. */
function foundKeys(
  db: Kysely<Schema>,
  { visible = 'everything', search, idPrefix, status, userId, teamId, order = CREATED }: KeyQuery,
  now: number,
): ReturnType<typeof selectKeys> {
  const found = visibleKeys(selectKeys(db), visible)
    .where(containsInAnyCase(SEARCHED, search))
    .where(startsWith('gateway_keys.id', idPrefix))
    .where(equalValues<KeyRow>({ user_id: userId, team_id: teamId }))
    .where(status === undefined ? sql<SqlBool>`1 = 1` : hasStatus(status, now));
  const values = {
    created_at: sql.ref('gateway_keys.created_at'),
    key_name: textOrder('key_name'),
    user_id: textOrder('user_id'),
    spend: spentAt(now),
    last_used_at: sql.ref('last_used_at'),
  };
  return inOrder(found, order, { values, id: 'gateway_keys.id' });
}

/** When a key's user and team were created. Older keys belong to earlier ones with the same ID. */
const USER_ORIGIN = sql`(select origin.created_at from gateway_users origin where origin.user_id = gateway_keys.user_id)`;
const TEAM_ORIGIN = sql`(select origin.created_at from gateway_groups origin
  where origin.kind = 'team' and origin.id = gateway_keys.team_id)`;

/** Restricts a selection to the keys that a manager can see. */
const visibleKeys = (query: ReturnType<typeof selectKeys>, visible: Visible): typeof query =>
  visible === 'everything'
    ? query
    : query.where((row) =>
        row.or([
          row.and([
            row('user_id', '=', visible.userId),
            sql<boolean>`gateway_keys.created_at >= ${USER_ORIGIN}`,
          ]),
          row.and([
            inTeams(row.ref('team_id'), visible.teamIds),
            sql<boolean>`gateway_keys.created_at >= ${TEAM_ORIGIN}`,
          ]),
        ]),
      );

function hasStatus(status: KeyStatus, now: number): RawBuilder<SqlBool> {
  if (status === 'inactive') return sql`is_active = 0`;
  if (status === 'expired') return sql`is_active = 1 and expires_at <= ${now}`;
  return sql`is_active = 1 and (expires_at is null or expires_at > ${now})`;
}

/** Selects keys with their spending. */
const selectKeys = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_keys')
    .innerJoin('gateway_accounts', (join) =>
      join.on('gateway_accounts.id', '=', sql<string>`${sql.lit(keyAccount(''))} || gateway_keys.id`),
    )
    .selectAll('gateway_keys')
    .select(['spent_nano', 'window_ends_at']);

type SelectedKey = Selectable<KeyRow & Pick<AccountRow, 'spent_nano' | 'window_ends_at'>>;

/** A key as displayed. `lastUsedAt` can be newer than the value in the database. */
function keyOf(row: SelectedKey, lastUsedAt: number | null, now: number): Key {
  const values = valuesOf(KEY_FIELDS, row);
  return {
    ...values,
    issuer: issuerOf(row.issuer),
    selfMade: row.self_made === 1,
    lastUsedAt,
    status: keyStatusOf(values.isActive, values.expiresAt, now),
    spent: spentNow(row, now),
  };
}
