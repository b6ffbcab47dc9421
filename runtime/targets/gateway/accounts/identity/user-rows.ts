import { type Kysely, type Selectable, sql } from 'kysely';
import { userAccount } from '../../store/account-ids.ts';
import { valuesOf } from '../../store/field-columns.ts';
import type { AccountRow, Schema, UserRow } from '../../store/schema.ts';
import { type User, USER_FIELDS } from '../fields/users.ts';
import { balanceOf } from './accounts.ts';

/** Selects users that are not deleted, with their spending. */
export const selectUsers = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_users')
    .innerJoin('gateway_accounts', (join) =>
      join.on('gateway_accounts.id', '=', sql<string>`${sql.lit(userAccount(''))} || user_id`),
    )
    .selectAll()
    .where('deleted_at', 'is', null);

export const userOf = (row: Selectable<UserRow & AccountRow>, now: number): User => ({
  ...valuesOf(USER_FIELDS, row),
  ...balanceOf(row, now),
});
