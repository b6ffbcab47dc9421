import { type Kysely, type Selectable, sql } from 'kysely';
import { parseJsonText } from '#core/json/json-text.ts';
import type { AccountRow, Schema, UserRow } from '../../store/schema.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { storableText } from '../../store/storable-text.ts';
import { spentNow } from './accounts.ts';
import { userAccount } from '../../store/account-ids.ts';
import { type User, USER_ROLES, type UserChanges, type UserRole } from './identity.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Selects users that are not deleted, with their spending. */
export const selectUsers = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_users')
    .innerJoin('gateway_accounts', (join) =>
      join.on('gateway_accounts.id', '=', sql<string>`${sql.lit(userAccount(''))} || user_id`),
    )
    .selectAll()
    .where('deleted_at', 'is', null);

export function userOf(row: Selectable<UserRow & AccountRow>, now: number): User {
  return {
    userId: row.user_id,
    alias: row.alias,
    spent: spentNow(row, now),
    reserved: row.reserved_nano,
    budgetId: row.budget_id,
    budgetStartedAt: row.window_started_at,
    nextBudgetResetAt: row.window_ends_at,
    blocked: row.blocked === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    metadata: membersOf(parseJsonText(row.metadata)),
    rpm: row.rpm,
    tpm: row.tpm,
    maxParallel: row.max_parallel,
    role: roleOf(row.role),
    teamId: row.team_id,
  };
}

export const roleOf = (text: string): UserRole => USER_ROLES.find((role) => role === text) ?? 'member';

/** The columns of the changed fields. */
export function userColumns(changes: UserChanges): Partial<UserRow> {
  const columns = {
    alias: changes.alias && storableText(changes.alias),
    budget_id: changes.budgetId,
    blocked: changes.blocked === undefined ? undefined : Number(changes.blocked),
    metadata: changes.metadata && JSON.stringify(changes.metadata),
    rpm: changes.rpm,
    tpm: changes.tpm,
    max_parallel: changes.maxParallel,
    role: changes.role,
  };
  return omitUndefined(columns);
}
