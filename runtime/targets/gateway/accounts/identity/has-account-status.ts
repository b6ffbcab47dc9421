import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { AccountStatus } from './list-queries.ts';

/** SQL condition that a user or group has a status; true without one. */
export const hasAccountStatus = (status: AccountStatus | undefined): RawBuilder<SqlBool> =>
  status === undefined ? sql`1 = 1` : sql`blocked = ${status === 'blocked' ? 1 : 0}`;
