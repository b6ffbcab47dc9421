import { type RawBuilder, sql } from 'kysely';
import type { Store } from './store.ts';

/** The database's own clock in milliseconds since 1970: all processes on it share that one. */
export const DATABASE_NOW: Readonly<Record<Store['kind'], RawBuilder<number>>> = {
  sqlite: sql`cast(unixepoch('subsec') * 1000 as integer)`,
  postgres: sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
};
