import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { findPostgres, type Postgres, sharedPostgres } from '../../helpers/postgres.ts';
import { runProcess } from '../../helpers/run-process.ts';
import { verifiesOnce } from '../verifies.ts';
import { GATEWAY_COMMANDS } from './command-arms.ts';
import { useStoreFolder } from './command-folder.ts';
import { useKey } from './use-usage.ts';
import { verifiesGatewayCommand } from './verifies.ts';
import { builtProgram } from '../../helpers/built.ts';

const folderOf = useStoreFolder();

verifiesGatewayCommand('gcli:migrate', async (arm) => {
  const { done, json, path, refused, run } = folderOf(arm);
  const file = path('data/gateway.db');
  expect(await done('migrate', '--dry-run')).toMatch(
    /gateway\.db: empty; `gateway migrate` would create version \d+\.\n$/,
  );
  expect(existsSync(path('data'))).toBe(false);
  const made = await json('migrate');
  expect(made).toEqual({ database: file, from: 0, to: expect.any(Number), applied: true });
  expect(await done('init-db')).toBe(`${file}: already at version ${made.to}.\n`);
  expect(await json('migrate', '--dry-run')).toEqual({ ...made, from: made.to, applied: false });
  edit(file, 'update gateway_meta set schema_version = 999');
  expect(await run('migrate', '--dry-run')).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('has schema version 999, but this gateway supports versions up to'),
  });
  expect(await refused(1, 'migrate')).toContain('Use a newer gateway, or another database.');
  edit(file, 'update gateway_meta set schema_version = 37');
  const unreleased = 'has schema version 37, which is from a pre-release build and cannot be migrated';
  expect(await run('migrate', '--dry-run')).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining(unreleased),
  });
  expect(await refused(1, 'migrate')).toContain('Use another database, or the build that created it.');
  expect(await run('doctor')).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(unreleased) });
});

verifiesGatewayCommand('gcli:database', async (arm) => {
  const { done, refused, path, write } = folderOf(arm);
  const at = (url: string): string[] => ['keys', 'list', '--database-url', url];
  expect(await refused(1, 'keys', 'create')).toContain('Create it with `gateway migrate`');
  expect(await refused(1, ...at(`sqlite:${path('no/such/folder.db')}`))).toContain(
    'folder.db does not exist.',
  );
  expect(readdirSync(path('.'))).toEqual([]);
  expect(await refused(1, ...at(`sqlite:${write('text.db', 'no database'.repeat(100))}`))).toContain(
    'the file is not a SQLite database. Choose another',
  );
  expect(await refused(2, ...at('mysql://x'))).toContain('has the unsupported scheme "mysql"');
  const secret = await refused(1, ...at('postgres://me:hush@127.0.0.1:1/x'));
  expect(secret).toContain('(PostgreSQL at 127.0.0.1:1/x): connection refused. Start PostgreSQL');
  expect(secret).not.toContain('hush');
  await done('migrate');
  edit(path('data/gateway.db'), 'update gateway_meta set schema_version = 999');
  expect(await refused(1, 'keys', 'list')).toContain(
    'has schema version 999, but this gateway supports versions up to',
  );
  edit(path('data/gateway.db'), 'update gateway_meta set schema_version = 37');
  expect(await refused(1, 'keys', 'list')).toContain('which is from a pre-release build');
});

verifiesOnce('gcli:database', async () => {
  const { done, path, refused } = folderOf(GATEWAY_COMMANDS);
  await done('migrate');
  const locked = new DatabaseSync(path('data/gateway.db'));
  locked.exec('begin exclusive');
  expect(await refused(1, 'keys', 'create')).toContain(
    'the file is locked by another program. Stop it, or wait',
  );
  locked.close();
  await done('keys', 'create');
});

// Root can write to any file.
const nobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups'] : [];

verifiesOnce('gcli:database', async () => {
  const { done, path } = folderOf(GATEWAY_COMMANDS);
  await done('migrate');
  chmodSync(path('.'), 0o755);
  chmodSync(path('data'), 0o555);
  chmodSync(path('data/gateway.db'), 0o444);
  const words = ['keys', 'create', '--database-url', `sqlite:${path('data/gateway.db')}`];
  const [program = '', ...args] = [...nobody, builtProgram('gateway'), ...words];
  const { exitCode, stdout, stderr } = await runProcess(program, args, {
    env: { XDG_CACHE_HOME: path('.') },
  });
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Error: .*gateway\.db\): the file (is not writable|cannot be opened)\. .*\.$/);
});

verifiesOnce('gcli:settings', async () => {
  const { path, write } = folderOf(GATEWAY_COMMANDS, {});
  mkdirSync(path('empty'));
  const file = write(
    'other.yml',
    'database_url: sqlite:from-file.db\nproviders: { openai: { api_key: "${NOT_SET}" } }\n',
  );
  const placeOf = async (args: string[], env: Record<string, string>, cwd = path('.')): Promise<string> => {
    const all = ['migrate', '--dry-run', '--json', ...args];
    const { stdout } = await runProcess(builtProgram('gateway'), all, { cwd, env });
    return JSON.parse(stdout).database;
  };
  const variable = { GATEWAY_DATABASE_URL: 'sqlite:/tmp/variable.db' };
  const everywhere = { ...variable, GATEWAY_CONFIG: file };
  expect(await placeOf(['--database-url', 'sqlite:/tmp/flag.db'], everywhere)).toBe('/tmp/flag.db');
  expect(await placeOf([], everywhere)).toBe('/tmp/variable.db');
  expect(await placeOf([], { DATABASE_URL: 'sqlite:/tmp/usual.db' })).toBe('/tmp/usual.db');
  expect(await placeOf(['-c', file], {})).toBe(path('from-file.db'));
  // `gateway.yml` of the folder.
  expect(await placeOf([], {})).toBe(path('data/gateway.db'));
  expect(await placeOf([], { XDG_DATA_HOME: '/tmp/home' }, path('empty'))).toBe(
    '/tmp/home/gateway/gateway.db',
  );
});

const PROGRAMS = await findPostgres();
let postgres: Postgres | undefined;
beforeAll(async () => {
  if (PROGRAMS !== undefined) postgres = await sharedPostgres(PROGRAMS);
});
afterAll(async () => await postgres?.dropDatabases());

describe.skipIf(PROGRAMS === undefined)('PostgreSQL', () => {
  verifiesOnce('gcli:postgres', async () => {
    const url = (await postgres?.createDatabase()) ?? '';
    const { done, json, refused } = folderOf(GATEWAY_COMMANDS, { database_url: url });
    expect(await refused(1, 'keys', 'list')).toContain('Run `gateway migrate`');
    expect(await json('migrate', '--dry-run')).toMatchObject({ from: 0, applied: false });
    expect(await json('migrate')).toMatchObject({ from: 0, applied: true });
    await done('budgets', 'create', '--name', 'team', '--amount', '5', '--every', 'daily');
    await done('users', 'create', 'bob', '--budget', 'team');
    const secret = (await done('keys', 'create', '--name', 'ci', '--user', 'bob')).trim();
    await done('pricing', 'set', 'openai:gpt-4o', '--input', '1', '--output', '2');
    await useKey(url, secret, [{}, {}]);
    expect(await json('users', 'get', 'bob')).toMatchObject({ spend: 3 });
    expect(await json('usage', '--group-by', 'user', '--key', 'ci')).toMatchObject({
      groups: [{ requests: 2, cost: 3 }],
    });
    expect(await json('pricing', 'history', 'openai:gpt-4o')).toHaveLength(1);
    const doctor = await json('doctor');
    expect(doctor).toContainEqual({
      what: 'clock',
      state: 'ok',
      message: 'in sync with the clock of the database',
    });
    expect(await refused(1, 'users', 'create', 'bob')).toContain('already exists');
  });
});

function edit(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}
