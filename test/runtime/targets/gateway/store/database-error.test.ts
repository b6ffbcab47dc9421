import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { databaseFailure } from '#gateway/store/database-error.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openDatabase } from '#gateway/store/open-store.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { describeDatabases } from '../databases.ts';
import { gatewayOn } from '../api/open-gateway.ts';

const folder = useTempFolder();
const UNAVAILABLE = { code: 'UnavailableError', reason: 'database_unavailable' };

async function failureOf(url: string, statement: string): Promise<unknown> {
  const store = openDatabase(parseDatabaseUrl(url));
  try {
    return await sql.raw(statement).execute(store.db);
  } catch (error) {
    return databaseFailure(error);
  } finally {
    await store.close();
  }
}

test('database and connection errors are reported with their kind', async () => {
  const file = `sqlite:${join(folder(), 'some.db')}`;
  expect(await failureOf(file, 'select * from nowhere')).toMatchObject(UNAVAILABLE);
  expect(await failureOf('postgres://someone@127.0.0.1:1/none', 'select 1')).toMatchObject(UNAVAILABLE);
  for (const words of ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])
    expect(databaseFailure(new Error(words)), words).toMatchObject(UNAVAILABLE);
});

test('programming errors are not reported as database errors', () => {
  const thrown = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };
  for (const error of [
    new TypeError('x is not a function'),
    new Error('Connection'),
    undefined,
    thrown(() => new URL('https://s3.x@127.0.0.1:1/.amazonaws.com')),
    thrown(() => Buffer.from(1 as never)),
    thrown(() => readFileSync('/nowhere/at/all')),
    thrown(() => decodeURIComponent('%')),
    Object.assign(new Error('too many open files'), { code: 'EMFILE', syscall: 'open' }),
    Object.assign(new Error('unknown scheme'), { code: 'ERR_UNKNOWN_SCHEME' }),
  ])
    expect(databaseFailure(error), String(error)).toBeUndefined();
});

test.each([
  { code: 'ECONNREFUSED', syscall: 'connect' },
  { code: 'ENOENT', syscall: 'connect' },
  { code: 'EACCES', syscall: 'connect' },
  { code: 'ECONNRESET', syscall: 'read' },
  { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
  { code: '57P01' },
  { code: '53300' },
  { code: '08006' },
])('an unreachable server is a database error: $code', (members) => {
  expect(databaseFailure(Object.assign(new Error('x'), members))).toMatchObject(UNAVAILABLE);
  const all = Object.assign(new AggregateError([Object.assign(new Error('x'), members)]), {});
  expect(databaseFailure(all)).toMatchObject(UNAVAILABLE);
});

describeDatabases((database) => {
  test.skipIf(database.kind === 'postgres')(
    'a request while the database is unavailable gets an error that advises a retry',
    async () => {
      const { clock, ...state } = await database.start();
      const { ask, kernel } = gatewayOn(state, clock);
      await state.store.db.schema.alterTable('gateway_budgets').renameTo('away').execute();
      const { status, body } = await ask('GET', '/v1/budgets');
      expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'database_unavailable' });
      expect(kernel.logged.filter(({ level }) => level === 50)).toHaveLength(1);
    },
  );
});

test('a transaction that SQLite rolled back fails with the original reason', async () => {
  const store = openDatabase(parseDatabaseUrl(`sqlite:${join(folder(), 'full.db')}`));
  await sql`create table rows (id integer primary key)`.execute(store.db);
  const twice = store.db.transaction().execute(async (trx) => {
    // The same error as on a full disk, but reproducible everywhere.
    for (const _ of [1, 2]) await sql`insert or rollback into rows values (1)`.execute(trx);
  });
  await expect(twice).rejects.toThrow('UNIQUE constraint failed');
  expect(await store.db.transaction().execute(async (trx) => await sql`select 1`.execute(trx))).toBeDefined();
  await store.close();
});
