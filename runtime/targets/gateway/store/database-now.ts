import { type RawBuilder, sql } from 'kysely';
import type { Store } from './store.ts';

/**
 * SQL for the database's current time in milliseconds since 1970. It is the same for all processes, unlike
 * their own clocks.
 */
export const DATABASE_NOW: Readonly<Record<Store['kind'], RawBuilder<number>>> = {
  sqlite: sql`cast(unixepoch('subsec') * 1000 as integer)`,
  postgres: sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
};
