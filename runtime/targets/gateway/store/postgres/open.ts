import { Kysely, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import { createAuditTrail } from '../audit/audit-trail.ts';
import type { Store } from '../store.ts';
import type { Schema } from '../schema.ts';
import { WHOLE_NUMBERS } from '../whole-numbers.ts';
import { postgresLedger } from './ledger-store.ts';

const isInt8 = (type: number): boolean => type === 20;
const CONNECT_TIMEOUT_MS = 10_000;
/** Statements are short, so one that takes longer waits for a lock that is not released. */
const STATEMENT_TIMEOUT_MS = 30_000;

export interface PostgresOptions {
  readonly url: string;
  readonly connections?: number | undefined;
}

/** Opens a pool. Connections are opened on demand, and replaced after they break. */
export function openPostgres({ url, connections = 10 }: PostgresOptions): Store {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'gateway',
    keepAlive: true,
    // Statements of one transaction are sent together, which saves round trips over the network.
    ...PIPELINED,
    types: { getTypeParser: parserOf },
  });
  // A broken connection already fails its statement, and the pool replaces it. Without these listeners, the error would end the
  // process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), plugins: [WHOLE_NUMBERS] });
  return {
    kind: 'postgres',
    db,
    ledger: postgresLedger(pool),
    audit: createAuditTrail(),
    close: async () => await db.destroy(),
  };
}

/** An option of pg that its types do not have yet. */
const PIPELINED: object = { pipeline: true };

/** Parsers of this pool only, because the library's own table of parsers is shared by the whole process. */
const parserOf: typeof types.getTypeParser = (type, format) =>
  isInt8(type) && format !== 'binary' ? BigInt : (types.getTypeParser(type, format) as unknown);
