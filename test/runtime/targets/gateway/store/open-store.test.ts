import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { describeDatabases } from '../databases.ts';

const folder = useTempFolder();
const open = async (url: string, autoMigrate = true) =>
  await openStore(parseDatabaseUrl(url), { autoMigrate });
const messageOf = async (url: string, autoMigrate = true): Promise<string> => {
  const error: unknown = await open(url, autoMigrate).then(
    async (store) => await store.close(),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'AppError', code: 'ConfigError' });
  return (error as Error).message;
};

test.each([
  ['sqlite:gateway.db', 'sqlite', join(process.cwd(), 'gateway.db')],
  ['sqlite:///./gateway.db', 'sqlite', join(process.cwd(), 'gateway.db')],
  ['sqlite:////var/lib/g.db', 'sqlite', '/var/lib/g.db'],
])('%s is parsed as %s at %s', (url, kind, path) => {
  expect(parseDatabaseUrl(url)).toEqual({ kind, path });
});

test.skipIf(process.platform !== 'linux')(
  'a path where no folder can be created is rejected without hanging',
  async () => {
    expect(await messageOf('sqlite:/proc/gateway-data/gateway.db')).toBe(
      'Cannot create the folder /proc/gateway-data: /proc does not allow new folders. Choose another folder.',
    );
    expect(await messageOf('sqlite:/proc/self/gateway-data/deep/gateway.db')).toContain(
      'Choose another folder.',
    );
  },
);

test('a PostgreSQL URL is shown without its password', () => {
  expect(parseDatabaseUrl(' postgresql://ada:s3cret@db.example:5433/gw?x=s3cret ')).toEqual({
    kind: 'postgres',
    url: 'postgresql://ada:s3cret@db.example:5433/gw?x=s3cret',
    shown: 'PostgreSQL at db.example:5433/gw',
  });
});

test.each([
  ['mysql://ada:s3cret@host/db', 'has the unsupported scheme "mysql"'],
  ['gateway.db', 'has no scheme'],
  ['sqlite:', 'does not contain a file'],
  ['postgres://ada:s3cret@[bad/db', 'Invalid database URL.'],
  ['postgres://ada:pw%s3cret@host/db', 'Write percent signs as %25'],
])('%s is rejected: %s', (url, reason) => {
  expect(() => parseDatabaseUrl(url)).toThrow(expect.objectContaining({ code: 'ConfigError' }));
  expect(() => parseDatabaseUrl(url)).toThrow(reason);
  expect(() => parseDatabaseUrl(url)).not.toThrow(/s3cret/);
});

test('a database file and its folder are private to their owner', async () => {
  const path = join(folder(), 'data', 'gateway.db');
  await (await open(`sqlite:${path}`)).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder(), 'data')).mode & 0o777).toBe(0o700);
});

test('a folder that cannot be created is reported', async () => {
  writeFileSync(join(folder(), 'a-file'), '');
  const path = join(folder(), 'a-file', 'gateway.db');
  expect(await messageOf(`sqlite:${path}`)).toContain('one of its parent folders is a file');
});

test('a file that is not a database, a damaged database and a folder are rejected with an error', async () => {
  const path = join(folder(), 'gateway.db');
  writeFileSync(
    path,
    'This is a text, and long enough to be taken for the header of a database file. '.repeat(20),
  );
  expect(await messageOf(`sqlite:${path}`)).toContain('is not a SQLite database');
  mkdirSync(join(folder(), 'a-folder'));
  expect(await messageOf(`sqlite:${join(folder(), 'a-folder')}`)).toContain(join(folder(), 'a-folder'));
  const damaged = join(folder(), 'damaged.db');
  await (await open(`sqlite:${damaged}`)).close();
  const { size } = statSync(damaged);
  const database = new DatabaseSync(damaged);
  database.exec('pragma journal_mode = delete');
  database.close();
  writeFileSync(damaged, Buffer.alloc(size - 4096, 0xab), { flag: 'r+' });
  expect(await messageOf(`sqlite:${damaged}`)).toMatch(/is damaged|is not a SQLite database/);
});

test('the gateway waits for a locked file and then reports it as locked', async () => {
  const path = join(folder(), 'gateway.db');
  const locker = new DatabaseSync(path);
  locker.exec('create table other (id); pragma locking_mode = exclusive; begin exclusive');
  expect(await messageOf(`sqlite:${path}`)).toContain('the file is locked by another program');
  locker.close();
});

test('a single statement waits for another process, like a transaction', async () => {
  const path = join(folder(), 'gateway.db');
  const store = await open(`sqlite:${path}`);
  const locker = new DatabaseSync(path);
  locker.exec('begin immediate');
  const written = store.db.updateTable('gateway_meta').set({ revision: 7 }).execute();
  setTimeout(() => locker.exec('commit'), 300);
  await written;
  const row = await store.db.selectFrom('gateway_meta').select('revision').executeTakeFirst();
  expect(row?.revision).toBe(7);
  locker.close();
  await store.close();
});

test('a read-only file is reported', async ({ skip }) => {
  const path = join(folder(), 'gateway.db');
  await (await open(`sqlite:${path}`)).close();
  chmodSync(path, 0o400);
  // The superuser can write to any file.
  skip(process.getuid?.() === 0);
  expect(await messageOf(`sqlite:${path}`)).toContain('is not writable');
});

describeDatabases((database) => {
  test('a new database is migrated once to the current version, and only on request', async () => {
    const url = await database.createEmpty();
    expect(await messageOf(url, false)).toMatch(
      /has schema version 0, but this gateway requires \d.*gateway migrate/,
    );
    await (await open(url)).close();
    await (await open(url, false)).close();
  });

  test('a newer database is left unchanged', async () => {
    const url = await database.createEmpty();
    const store = await open(url);
    await store.db.updateTable('gateway_meta').set({ schema_version: 999 }).execute();
    await store.close();
    expect(await messageOf(url)).toMatch(
      /has schema version 999, but this gateway supports versions up to \d/,
    );
  });

  test('concurrent migrations by several processes all succeed', async () => {
    const url = await database.createEmpty();
    const processes = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [join(import.meta.dirname, 'migrate-process.ts'), url], {
        stdio: ['ignore', 'inherit', 'inherit'],
      }),
    );
    const codes = await Promise.all(
      processes.map(async (child) => (await once(child, 'exit'))[0] as unknown),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    const store = await database.openStore(url);
    expect(await store.db.selectFrom('gateway_meta').selectAll().execute()).toHaveLength(1);
  });

  test('amounts beyond the precision of a double are returned unchanged', async () => {
    const { db } = await database.openStore(await database.createEmpty());
    const amounts = [9_007_199_254_740_993n, 8_999_999_999_999_999_999n, 0n];
    for (const [index, max_budget_nano] of amounts.entries()) {
      await db
        .insertInto('gateway_budgets')
        .values({
          budget_id: String(index),
          name: null,
          max_budget_nano,
          budget_duration_sec: 2 ** 40,
          created_at: 1,
          updated_at: 1,
        })
        .execute();
    }
    const rows = await db.selectFrom('gateway_budgets').selectAll().orderBy('budget_id').execute();
    expect(rows.map((row) => row.max_budget_nano)).toEqual(amounts);
    expect(rows[0]?.budget_duration_sec).toBe(2 ** 40);
  });

  test('an unreachable PostgreSQL server is reported without its password', async ({ skip }) => {
    skip(database.kind === 'sqlite');
    const url = await database.createEmpty();
    expect(await messageOf(url.replace(/test_\d+/, 'none'))).toContain('the database does not exist');
    expect(await messageOf('postgres://ada:s3cret@127.0.0.1:1/db')).toMatch(
      /^(?!.*s3cret).*connection refused/,
    );
    const socket = 'postgres://ada:s3cret@localhost/db?host=/no/such/folder';
    expect(await messageOf(socket)).toMatch(/^(?!.*s3cret).*the socket does not exist/);
  });
});
