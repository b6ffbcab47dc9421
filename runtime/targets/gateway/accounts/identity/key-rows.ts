import { type Kysely, type Selectable, sql } from 'kysely';
import { keyAccount } from '../../store/account-ids.ts';
import { valuesOf } from '../../store/field-columns.ts';
import type { AccountRow, KeyRow, Schema } from '../../store/schema.ts';
import { type Key, KEY_FIELDS, type KeyIssuer, type KeyStatus } from '../fields/keys.ts';
import { spentNow } from './accounts.ts';

/** Selects keys with their spending. */
export const selectKeys = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_keys')
    .innerJoin('gateway_accounts', (join) =>
      join.on('gateway_accounts.id', '=', sql<string>`${sql.lit(keyAccount(''))} || gateway_keys.id`),
    )
    .selectAll('gateway_keys')
    .select(['spent_nano', 'window_ends_at']);

export type SelectedKey = Selectable<KeyRow & Pick<AccountRow, 'spent_nano' | 'window_ends_at'>>;

/** A key for display. `lastUsedAt` can be newer than the value in the database. */
export function keyOf(row: SelectedKey, lastUsedAt: number | null, now: number): Key {
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

export function keyStatusOf(isActive: boolean, expiresAt: number | null, now: number): KeyStatus {
  if (!isActive) return 'inactive';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

export const issuerOf = (text: string): KeyIssuer => (text === 'own' ? 'own' : 'issued');
