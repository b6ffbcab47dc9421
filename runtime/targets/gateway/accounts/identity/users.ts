import { randomUUID } from 'node:crypto';
import { type Kysely, type Transaction, sql, type Selectable } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { BudgetRow, Schema, AccountRow, UserRow } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import { moveWindow, createAccount, startWindow, spentAt, balanceOf } from './accounts.ts';
import { userAccount } from '../../store/account-ids.ts';
import { cellsOf, emptyCells, valuesOf } from '../../store/field-columns.ts';
import { type User, USER_FIELDS, type UserRole } from '../fields/users.ts';
import type { Users } from './identity.ts';
import { budgetRowOf } from './budget-row.ts';
import { checkFields, checkUserId, inputProblem, notFound } from './checks.ts';
import { requireGroup } from './groups.ts';
import { isOfUser } from '../../store/space-columns.ts';
import { containsInAnyCase } from '../../store/contains-text.ts';
import { inOrder, textOrder } from '../../store/in-order.ts';
import { inTeams } from './in-teams.ts';
import { hasAccountStatus } from './has-account-status.ts';
import type { UserQuery, Visible } from './list-queries.ts';

export function createUsers({ db, ledger }: Store, revision: FollowedRevision, clock: Clock): Users {
  const find = async (trx: Kysely<Schema>, userId: string): Promise<User | undefined> => {
    if (!isStorable(userId)) return undefined;
    const row = await selectUsers(trx).where('user_id', '=', userId).executeTakeFirst();
    return row && userOf(row, clock.now());
  };
  const get = async (trx: Kysely<Schema>, userId: string): Promise<User> =>
    (await find(trx, userId)) ?? missing(userId);

  return {
    create: async (user) =>
      await revision.change(async (trx, note) => {
        checkUserId(user.userId);
        checkFields(USER_FIELDS, user);
        const now = Math.floor(clock.now());
        if (await find(trx, user.userId)) {
          throw new AppError('ConflictError', `User with id '${user.userId}' already exists`, {
            reason: 'user_exists',
          });
        }
        await checkServiceAccount(trx, user);
        if (user.neverUsed) await refuseUsedId(trx, user.userId);
        const budget = await budgetRowOf(trx, user.budgetId);
        const { neverUsed: _, ...fields } = user;
        await addUser(trx, fields, budget, now);
        const after = await get(trx, user.userId);
        note('user.create', user.userId, { after });
        return after;
      }),
    list: async ({ skip, limit }, query = {}) => {
      await ledger.sync();
      const now = Math.floor(clock.now());
      const rows = await foundUsers(db, query, now).limit(limit).offset(skip).execute();
      return rows.map((row) => userOf(row, now));
    },
    get: async (userId) => {
      await ledger.sync();
      return await get(db, userId);
    },
    wasDeleted: async (userId) => {
      if (!isStorable(userId)) return false;
      const row = await db
        .selectFrom('gateway_users')
        .select('deleted_at')
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row !== undefined && row.deleted_at !== null;
    },
    change: async (userId, changes) => {
      await ledger.sync();
      return await revision.change(async (trx, note) => {
        checkFields(USER_FIELDS, changes);
        const now = Math.floor(clock.now());
        const before = await get(trx, userId);
        if (before.teamId !== null) checkServiceRole(changes.role);
        if (changes.budgetId !== undefined && changes.budgetId !== before.budgetId) {
          const budget = await budgetRowOf(trx, changes.budgetId);
          await moveWindow(trx, userAccount(userId), startWindow(budget, now));
        }
        await trx
          .updateTable('gateway_users')
          .set({ ...cellsOf(USER_FIELDS, changes), updated_at: now })
          .where('user_id', '=', userId)
          .execute();
        const after = await get(trx, userId);
        note('user.update', userId, { before, after });
        return after;
      });
    },
    delete: async (userId) =>
      await revision.change(async (trx, note) => {
        const now = Math.floor(clock.now());
        note('user.delete', userId, { before: await get(trx, userId) });
        await trx
          .updateTable('gateway_users')
          .set({ deleted_at: now, updated_at: now })
          .where('user_id', '=', userId)
          .execute();
        await trx
          .updateTable('gateway_keys')
          .set({ is_active: 0, updated_at: now })
          .where('user_id', '=', userId)
          .execute();
        await trx.deleteFrom('gateway_team_members').where('user_id', '=', userId).execute();
        await trx.deleteFrom('gateway_invitations').where('user_id', '=', userId).execute();
        await deletePrivateData(trx, userId);
      }),
  };
}

/** Inserts a user. A deleted user with this ID is replaced; only the usage is kept. */
export async function addUser(
  trx: Transaction<Schema>,
  { userId, teamId = null, ...fields }: Parameters<Users['create']>[0],
  budget: BudgetRow | undefined,
  now: number,
): Promise<void> {
  await refuseReservedId(trx, userId, teamId);
  const row = {
    // Also for an ID that was used before: the earlier user's data stays inaccessible.
    owner_id: randomUUID(),
    ...emptyCells(USER_FIELDS),
    created_at: now,
    updated_at: now,
    deleted_at: null,
    team_id: teamId,
    ...cellsOf(USER_FIELDS, fields),
  };
  await trx
    .insertInto('gateway_users')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
  await createAccount(trx, userAccount(userId), startWindow(budget, now));
}

/**
 * Deletes a user's secrets, feedback, stored responses and scores. Everything else stays available to the master
 * key; no other caller can access it, because the internal ID is never reused.
 */
async function deletePrivateData(trx: Transaction<Schema>, userId: string): Promise<void> {
  const { owner_id: ownerId } = await trx
    .selectFrom('gateway_users')
    .select('owner_id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  await trx.deleteFrom('gateway_secrets').where(isOfUser(ownerId)).execute();
  await trx.deleteFrom('gateway_feedback').where('author_id', '=', ownerId).execute();
  await trx.deleteFrom('gateway_idempotency').where('owner_id', '=', ownerId).execute();
  await trx.deleteFrom('gateway_shadow_rows').where('user_id', '=', userId).execute();
}

/** Throws for an earlier user's ID, which only gateway administrators can reuse. */
async function refuseUsedId(trx: Transaction<Schema>, userId: string): Promise<void> {
  const row = await trx
    .selectFrom('gateway_users')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (row)
    throw new AppError(
      'ConflictError',
      `User id '${userId}' belonged to a deleted user. Choose another ID.`,
      {
        reason: 'user_id_used',
      },
    );
}

/** Throws for an ID that starts with a team's ID and a slash, unless it is a service account of this team. */
async function refuseReservedId(
  trx: Transaction<Schema>,
  userId: string,
  teamId: string | null,
): Promise<void> {
  const starts = Array.from(userId.matchAll(/\//g), ({ index }) => userId.slice(0, index)).filter(
    (start) => start !== '',
  );
  if (starts.length === 0) return;
  const rows = await trx
    .selectFrom('gateway_groups')
    .select('id')
    .where('kind', '=', 'team')
    .where('id', 'in', starts)
    .execute();
  // The longest match, because a team's ID can also contain a slash.
  const [team] = rows.map(({ id }) => id).toSorted((one, other) => other.length - one.length);
  if (team === undefined || team === teamId) return;
  throw inputProblem(
    'user_id',
    `Invalid user_id '${userId}': ids that start with '${team}/' are for service accounts of team '${team}'.`,
  );
}

/** Throws if a user cannot be a service account, because its team does not exist or it has a role. */
async function checkServiceAccount(
  trx: Transaction<Schema>,
  { teamId = null, role }: Parameters<Users['create']>[0],
): Promise<void> {
  if (teamId === null) return;
  await requireGroup(trx, 'team', teamId);
  checkServiceRole(role);
}

/** Service accounts manage nothing; otherwise, teams could create administrators. */
function checkServiceRole(role: UserRole | undefined): void {
  if (role === undefined || role === 'member') return;
  throw inputProblem('role', `A service account has the role member, not ${role}.`);
}

function missing(userId: string): never {
  throw notFound(`User with id '${userId}' not found`, 'user_not_found');
}

const CREATED = { by: 'created_at', isDescending: false } as const;

/** Selects the users for a list. */
function foundUsers(
  db: Kysely<Schema>,
  { visible = 'everything', search, status, teamId, order = CREATED }: UserQuery,
  now: number,
): ReturnType<typeof selectUsers> {
  const visibleOnes = visibleUsers(selectUsers(db), visible);
  const found = (teamId === undefined ? visibleOnes : usersOf(visibleOnes, [teamId].filter(isStorable)))
    .where(containsInAnyCase(['user_id', 'alias'], search))
    .where(hasAccountStatus(status));
  const values = {
    created_at: sql.ref('created_at'),
    user_id: textOrder('user_id'),
    alias: textOrder('alias'),
    spend: spentAt(now),
  };
  return inOrder(found, order, { values, id: 'user_id' });
}

/**
 * Restricts a selection to the users that a manager can see: members and service accounts of the teams that
 * the manager administers.
 */
const visibleUsers = (query: ReturnType<typeof selectUsers>, visible: Visible): typeof query =>
  visible === 'everything' ? query : usersOf(query, visible.teamIds, visible.userId);

/** Restricts a selection to the teams' members and service accounts, plus one more user. */
const usersOf = (
  query: ReturnType<typeof selectUsers>,
  teamIds: readonly string[],
  userId?: string,
): typeof query =>
  query.where((row) =>
    row.or([
      ...(userId === undefined ? [] : [row('user_id', '=', userId)]),
      inTeams(row.ref('team_id'), teamIds),
      row.exists(
        row
          .selectFrom('gateway_team_members')
          .select('gateway_team_members.user_id')
          .whereRef('gateway_team_members.user_id', '=', 'gateway_users.user_id')
          .where((member) => inTeams(member.ref('gateway_team_members.team_id'), teamIds)),
      ),
    ]),
  );

/** Selects users that are not deleted, with their spending. */
const selectUsers = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_users')
    .innerJoin('gateway_accounts', (join) =>
      join.on('gateway_accounts.id', '=', sql<string>`${sql.lit(userAccount(''))} || user_id`),
    )
    .selectAll()
    .where('deleted_at', 'is', null);

const userOf = (row: Selectable<UserRow & AccountRow>, now: number): User => ({
  ...valuesOf(USER_FIELDS, row),
  ...balanceOf(row, now),
});
