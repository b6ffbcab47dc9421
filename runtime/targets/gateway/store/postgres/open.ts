import { Kysely, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import type { Store } from '../store.ts';
import type { Schema } from '../schema.ts';
import { WHOLE_NUMBERS } from '../whole-numbers.ts';
import { postgresLedger } from './ledger-store.ts';

const isInt8 = (type: number): boolean => type === 20;
const CONNECT_WITHIN_MS = 10_000;
/** A statement of ours that takes this long waits for something that will not come. */
const STATEMENT_WITHIN_MS = 30_000;

export interface PostgresOptions {
  readonly url: string;
  readonly connections?: number | undefined;
}

/** Connections are made when they are needed, and again after they broke. */
export function openPostgres({ url, connections = 10 }: PostgresOptions): Store {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    statement_timeout: STATEMENT_WITHIN_MS,
    application_name: 'gateway',
    keepAlive: true,
    // Several statements are sent at once and answered at once; over a network this is what counts.
    ...({ pipeline: true } as object),
    types: { getTypeParser: parserOf },
  });
  // When a connection breaks, whoever uses it is told by the statement that failed, and the next one gets a new one. Without
  // a listener the whole process would end.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), plugins: [WHOLE_NUMBERS] });
  return { kind: 'postgres', db, ledger: postgresLedger(pool), close: async () => await db.destroy() };
}

/** Only for these connections: the library's own table of parsers belongs to the whole process. */
const parserOf: typeof types.getTypeParser = (type, format) =>
  isInt8(type) && format !== 'binary' ? BigInt : (types.getTypeParser(type, format) as unknown);
