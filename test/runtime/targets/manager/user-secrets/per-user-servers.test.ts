import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { openManager } from '../mcp/managed.ts';
import { configured, secretsIn } from './configured.ts';
import { ECHO, openUsers, serverTable } from './use-users.ts';

const temp = useTempFolder();

const usersOf = (config: string, users: readonly string[], moreKeys: readonly KeyRecord[] = []) =>
  openUsers(config, { users, moreKeys, folder: temp() });

test('each user has a process with the secrets and the name of this user', async () => {
  const { setSecret, call, managed } = await usersOf(ECHO, ['ann', 'bob']);
  for (const user of ['ann', 'bob']) {
    expect((await setSecret(user, 'TOKEN', `secret-of-${user}`)).body.changed).toEqual(['TOKEN']);
  }
  const users = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'ann' : 'bob'));
  const answers = await Promise.all(users.map((user) => call(user, 'env')));
  for (const [index, { body }] of answers.entries()) {
    expect(JSON.parse(body)).toMatchObject({ TOKEN: `token secret-of-${users[index]}`, WHO: users[index] });
  }
  expect(managed.server('echo').instances()).toEqual({ running: 2, max: 32 });
  const pids = await Promise.all(
    ['ann', 'bob', 'ann'].map(async (user) => (await call(user, 'process')).body),
  );
  expect(pids[0]).toBe(pids[2]);
  expect(pids[0]).not.toBe(pids[1]);
});

test('a missing secret is an error with a link and a command, and a caller without an identity is rejected', async () => {
  const { call, managed, send } = await usersOf(ECHO, ['ann']);
  const { status, body } = await call('ann', 'env');
  expect([status, body.detail]).toEqual([
    502,
    expect.stringMatching(
      /^server echo requires your secret TOKEN\. Open http:\/\/127\.0\.0\.1:\d+\/secrets\?link=[\w-]{24}, or run `mcp-manager secret set TOKEN`\.$/,
    ),
  ]);
  expect(managed.server('echo').instances()?.running).toBe(0);
  expect((await send('ann', 'GET', '/secrets')).body.secrets).toEqual([
    { name: 'TOKEN', isSet: false, servers: ['echo'] },
  ]);
  expect((await send('ann', 'GET', '/servers/echo/tools')).body.detail).toContain(
    'server echo requires your secret TOKEN. Run `mcp-manager secret set TOKEN`.',
  );

  const open = await openManager({ servers: configured(ECHO), userSecrets: secretsIn(temp()) });
  onTestFinished(() => open.close());
  const response = await fetch(`${open.origin}/api/v1/servers/echo/tools/env`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect([response.status, await response.text()]).toEqual([
    403,
    expect.stringContaining(
      'server echo: its configuration contains values of users, but the manager cannot identify the caller. Use an API key or an access token.',
    ),
  ]);
  const own = await fetch(`${open.origin}/api/v1/secrets`);
  expect(own.status).toBe(403);
});

test('a changed secret replaces only the processes that use it, and a removed one ends them', async () => {
  const config = ECHO + serverTable('other', 'echo.mjs', 'env = { OTHER = "${user.secret.OTHER}" }');
  const { setSecret, call, send } = await usersOf(config, ['ann', 'bob']);
  const pid = async (user: string, of: string) => JSON.parse((await call(user, 'process', {}, of)).body).pid;
  for (const user of ['ann', 'bob']) {
    await setSecret(user, 'TOKEN', `one-${user}`);
    await setSecret(user, 'OTHER', `other-${user}`);
  }
  const before = [await pid('ann', 'echo'), await pid('bob', 'echo'), await pid('ann', 'other')];
  await setSecret('ann', 'TOKEN', 'two-ann');
  const after = [await pid('ann', 'echo'), await pid('bob', 'echo'), await pid('ann', 'other')];
  expect([after[0] === before[0], after[1] === before[1], after[2] === before[2]]).toEqual([
    false,
    true,
    true,
  ]);
  expect(JSON.parse((await call('ann', 'env')).body).TOKEN).toBe('token two-ann');
  expect((await send('ann', 'DELETE', '/secrets/TOKEN')).status).toBe(200);
  expect((await call('ann', 'env')).status).toBe(502);
  expect((await send('ann', 'DELETE', '/secrets/TOKEN')).status).toBe(404);
  expect(JSON.parse((await call('bob', 'env')).body).TOKEN).toBe('token one-bob');
});

test('lists belong to their user', async () => {
  const config = serverTable('changing', 'changing.mjs', `env = { TOOLS = '["tool_\${user.id}"]' }`);
  const { send, managed } = await usersOf(config, ['ann', 'bob']);
  const names = async (user: string): Promise<string[]> =>
    (await send(user, 'GET', '/servers/changing/tools')).body.tools.map(({ name }: { name: string }) => name);
  const [ann, bob] = await Promise.all([names('ann'), names('bob')]);
  expect([ann?.at(-1), bob?.at(-1)]).toEqual(['tool_ann', 'tool_bob']);
  for (const user of ['ann', 'bob']) {
    const client = await managed.connect('/mcp', { authorization: bearer(user) });
    const listed = (await client.listTools()).tools.map(({ name }) => name);
    expect(listed.filter((name) => name.startsWith('changing__tool_'))).toEqual([`changing__tool_${user}`]);
    const search = await send(user, 'GET', '/tools?q=tool');
    expect(search.text).not.toContain(user === 'ann' ? 'tool_bob' : 'tool_ann');
  }
});

test('secrets are redacted in the log of the server, which names the user', async () => {
  const { setSecret, call, send, managed } = await usersOf(ECHO, ['ann'], [keyOf('admin', { admin: true })]);
  await setSecret('ann', 'TOKEN', 'hunter-two-hunter');
  const logged = managed.nextLogLine('echo', /wrote/);
  await call('ann', 'log', { text: 'wrote hunter-two-hunter' });
  expect(await logged).toBe('wrote [redacted]');
  const { body } = await send('admin', 'GET', '/admin/servers/echo/logs');
  expect(body.lines).toContainEqual(
    expect.objectContaining({ source: 'server', text: 'wrote [redacted]', user: 'ann' }),
  );
  const { body: status } = await send('admin', 'GET', '/admin/servers/echo');
  expect(status).toMatchObject({ phase: 'running', instances: { running: 1, max: 32 } });
  expect(JSON.stringify(managed.logged)).not.toContain('hunter-two');
  expect(managed.logged).toContainEqual(
    expect.objectContaining({ server: 'echo', user: 'ann', msg: 'wrote [redacted]' }),
  );
});

test("a notification of a user's process only reaches the clients of this user", async () => {
  const config = serverTable('changing', 'changing.mjs', 'env = { LIST_CHANGED = "1", WHO = "${user.id}" }');
  const { managed } = await usersOf(config, ['ann', 'bob']);
  const notified: string[] = [];
  const clients = await Promise.all(
    ['ann', 'bob'].map(async (user) => {
      const client = await managed.connect('/mcp/changing', { authorization: bearer(user) });
      await client.callTool({ name: 'asked', arguments: {} });
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void notified.push(user));
      return client;
    }),
  );
  await clients[0]?.callTool({ name: 'announce', arguments: {} });
  await expect.poll(() => notified, { timeout: 10_000 }).toContain('ann');
  await clients[1]?.listTools();
  expect(notified).not.toContain('bob');
});
