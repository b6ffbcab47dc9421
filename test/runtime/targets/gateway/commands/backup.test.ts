import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { openGatewayState } from '#gateway/gateway-state.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { NEWEST_VERSION } from '#gateway/store/migrate.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { MASTER_KEY } from '../master-key.ts';
import { newSpender, used } from '../requests.ts';
import { runCommand } from './run-command.ts';

const temp = useTempFolder();

/** An open gateway with one settled request and one that is running. */
async function open(url: string) {
  const store = await openStore(parseDatabaseUrl(url), { autoMigrate: true });
  const onError = (error: unknown): void => {
    throw error;
  };
  const state = await openGatewayState(store, { clock: systemClock, masterKey: MASTER_KEY, onError });
  return {
    state,
    async close() {
      await state.close();
    },
  };
}

test('a backup of a running gateway contains settled usage without in-flight requests, and can be restored', async () => {
  const [database, file] = [join(temp(), 'gateway.db'), join(temp(), 'copy.db')];
  const url = `sqlite:${database}`;
  const running = await open(url);
  const { identity, ledger } = running.state;
  const spender = await newSpender(identity, { userId: 'ann' });
  const estimate = { cost: 9n, tokens: 1, free: false };
  await ledger.settle(await ledger.reserve(spender, estimate), used(5n));
  const unsettled = await ledger.reserve(spender, estimate);

  const saved = await runCommand(['backup', file, '--database-url', url]);
  expect(saved).toMatchObject({ code: 0, err: '' });
  expect(saved.out).toMatch(/^Wrote .*copy\.db \(\d+ bytes\) from .*gateway\.db\.\n$/);
  // Anything after the backup is not part of it.
  await ledger.settle(await ledger.reserve(spender, estimate), used(7n));

  const busy = await runCommand(['restore', file, '--force', '--database-url', url]);
  expect(busy).toMatchObject({ code: 1, err: expect.stringContaining('A gateway is using') });
  await ledger.release(unsettled);
  await running.close();
  const exists = await runCommand(['restore', file, '--database-url', url]);
  expect(exists).toMatchObject({ code: 1, err: expect.stringContaining('Use --force to replace it') });
  const restored = await runCommand(['restore', file, '--force', '--database-url', url, '--json']);
  expect(restored).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(restored.out)).toEqual({ database, file, before: `${database}.before-restore` });
  expect(existsSync(`${database}-wal`)).toBe(false);
  for (const path of [file, database]) expect(statSync(path).mode & 0o777).toBe(0o600);

  const again = await open(url);
  expect(await again.state.identity.users.get('ann')).toMatchObject({ spent: 5n, reserved: 0n });
  await again.close();
});

test.each([
  [['backup', 'missing/copy.db'], 'does not exist'],
  [['restore', 'nothing.db'], 'nothing.db does not exist. Create it with `gateway backup`.'],
  [['restore', 'text.db'], 'is not a gateway database backup'],
])('the command %j is rejected: %s', async ([command = '', name = ''], message) => {
  writeFileSync(join(temp(), 'text.db'), 'not a database');
  const told = await runCommand([
    command,
    join(temp(), name),
    '--database-url',
    `sqlite:${join(temp(), 'gateway.db')}`,
  ]);
  expect(told).toMatchObject({ code: 1, err: expect.stringContaining(message) });
});

test('backups of PostgreSQL are rejected with a reference to its own tools, and a backup cannot overwrite its database', async () => {
  const told = await runCommand([
    'backup',
    join(temp(), 'x'),
    '--database-url',
    'postgres://u:secret@db.example/gateway',
  ]);
  expect(told).toMatchObject({
    code: 1,
    err: expect.stringContaining("Use PostgreSQL's pg_dump instead."),
  });
  expect(told.err).not.toContain('secret');
  const url = `sqlite:${join(temp(), 'gateway.db')}`;
  await runCommand(['migrate', '--database-url', url]);
  const self = await runCommand(['backup', join(temp(), 'gateway.db'), '--database-url', url]);
  expect(self).toMatchObject({ code: 1, err: expect.stringContaining('is the database itself') });
});

test('a backup from a pre-release or newer version is rejected', async () => {
  const [url, copy, place] = ['gateway.db', 'copy.db', 'restored.db'].map((name) => join(temp(), name));
  await runCommand(['migrate', '--database-url', `sqlite:${url}`]);
  await runCommand(['backup', copy ?? '', '--database-url', `sqlite:${url}`]);
  for (const [version, message] of [
    [37, 'is from a pre-release build and cannot be migrated. Use another database, or the build'],
    [999, `supports versions up to ${NEWEST_VERSION}. Use a newer gateway, or another database.`],
  ] as const) {
    const database = new DatabaseSync(copy ?? '');
    database.exec(`update gateway_meta set schema_version = ${version}`);
    database.close();
    const told = await runCommand(['restore', copy ?? '', '--database-url', `sqlite:${place}`]);
    expect(told).toMatchObject({ code: 1, err: expect.stringContaining(message) });
    expect(existsSync(place ?? '')).toBe(false);
  }
});
