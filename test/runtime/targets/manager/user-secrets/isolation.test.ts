import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { startRemote } from '../upstream/remote-fixture.ts';
import { configured } from './configured.ts';
import { openUsers, serverTable } from './use-users.ts';

const temp = useTempFolder();

/** Returns the same numbers for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const USERS = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay'];
const OTHERS = (user: string): RegExp =>
  new RegExp(
    USERS.filter((one) => one !== user)
      .map((one) => `${one}-secret-\\d`)
      .join('|'),
  );

const table = (name: string, more: string): string =>
  serverTable(
    name,
    'changing.mjs',
    `lazy = true
idle_timeout = "20ms"
max_instances = 3
${more}
env = { TOOLS = '["own-\${user.secret.TOKEN}"]' }`,
  );

/**
 * Each user's list and calls contain the user's secret. Users act in parallel in a random order, while secrets change,
 * servers restart, stop, are renamed and reloaded, and a user is removed.
 */
test.each([1, 2, 3])(
  'a secret never reaches the process of another user (random seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    let name = 'mine';
    let revision = 0;
    const configOf = () => table(name, `timeout_request = "${20 + revision}s"`);
    const { managed, send, setSecret, call, removeKey, secrets } = await openUsers(configOf(), {
      users: USERS,
      moreKeys: [keyOf('admin', { admin: true })],
      folder: temp(),
    });
    const versions = new Map<string, number>();
    const removed = new Set<string>();
    const failures = new Set<string>();
    const setting = new Map<string, Promise<void>>();
    /** Sets the next version, after those that are being set. */
    const setNext = (user: string): Promise<void> => {
      const before = setting.get(user);
      const set = async (): Promise<void> => {
        await before;
        const version = (versions.get(user) ?? 0) + 1;
        const { status } = await setSecret(user, 'TOKEN', `${user}-secret-${version}`);
        if (status === 200) versions.set(user, version);
      };
      const next = set();
      setting.set(user, next);
      return next;
    };
    let seen = 0;
    const act = async (user: string) => {
      if (removed.has(user)) return;
      const choice = random(20);
      if (choice < 3) return await setNext(user);
      const own = `own-${user}-secret-${versions.get(user)}`;
      const { status, text } =
        choice < 8
          ? await send(user, 'GET', `/servers/${name}/tools`)
          : choice < 10
            ? await send(user, 'GET', '/tools?q=own')
            : await call(user, own, {}, name);
      if (removed.has(user)) return;
      expect(text, `${user}: ${status}`).not.toMatch(OTHERS(user));
      if (status === 200 && text.includes(`own-${user}-secret-`)) seen += 1;
      else if (status !== 200) failures.add(text.replaceAll(/own-\w+-secret-\d+/g, 'own').slice(0, 160));
    };
    const change = async () => {
      const choice = random(8);
      if (choice < 2) await send('admin', 'POST', `/admin/servers/${name}/restart`);
      else if (choice < 4) {
        if (choice === 3) name = name === 'mine' ? 'yours' : 'mine';
        revision += 1;
        managed.configure(configured(configOf()));
        await send('admin', 'POST', '/admin/reload');
      } else if (choice === 4 && removed.size < 2) {
        const user = USERS[random(USERS.length)] ?? '';
        removed.add(user);
        removeKey(user);
        managed.server(name).userChanged(`key ${keyOf(user).hash}`);
        await secrets.remove(`key ${keyOf(user).hash}`);
      }
    };
    await Promise.all(USERS.map(setNext));
    for (let round = 0; round < 12; round += 1) {
      const actions = Array.from({ length: 10 }, () => act(USERS[random(USERS.length)] ?? ''));
      await Promise.all([...actions, change()]);
      expect(managed.server(name).instances()?.running).toBeLessThanOrEqual(3);
    }
    expect(seen).toBeGreaterThan(20);
    // Names change between the choice of a tool and its call, and so do servers, but nothing else fails.
    for (const failure of failures) {
      expect(failure).toMatch(/tool not found|server not found|server busy|not available|transport error/);
    }
    const last = await Promise.all(
      USERS.map(async (user) => {
        const { status, text } = await send(user, 'GET', `/servers/${name}/tools`);
        return text.includes(`own-${user}-secret-${versions.get(user)}`) ? 'own' : status;
      }),
    );
    expect(last).toEqual(USERS.map((user) => (removed.has(user) ? 401 : 'own')));
    const leaked = managed.logged.filter((line) => /-secret-\d/.test(JSON.stringify(line)));
    expect(leaked).toEqual([]);
  },
  120_000,
);

test('a remote server gets the headers of the user, on a connection for each user or on a shared one', async () => {
  const remote = await startRemote('remote.mjs');
  const config = (['separate', 'shared'] as const)
    .map(
      (kind) => `
[[servers]]
name = "${kind}"
url = "${remote.url}/mcp"
tools = ["*"]
user_connection = "${kind}"
headers = { X-User = "\${user.id}", X-Token = "Bearer \${user.secret.TOKEN}", X-Fixed = "fixed" }
`,
    )
    .join('');
  const { setSecret, call, managed } = await openUsers(config, { users: USERS, folder: temp() });
  await Promise.all(USERS.map((user) => setSecret(user, 'TOKEN', `${user}-1`)));
  const calls = Array.from({ length: 60 }, (_, index) => ({
    user: USERS[index % USERS.length] ?? '',
    server: index % 4 < 2 ? 'separate' : 'shared',
    text: `call ${index}`,
  }));
  const before = remote.requests.length;
  const answers = await Promise.all(
    calls.map(({ user, server, text }) => call(user, 'echo', { message: text }, server)),
  );
  expect(answers.map(({ body }) => body)).toEqual(calls.map(({ text }) => text));
  const requests = remote.requests.slice(before) as { headers: Record<string, string> }[];
  const sessions = new Map<string, Set<string>>();
  let withUser = 0;
  for (const { headers } of requests) {
    const user = headers['x-user'];
    const session = headers['mcp-session-id'] ?? '';
    sessions.set(session, (sessions.get(session) ?? new Set()).add(user ?? ''));
    expect(headers['x-fixed']).toBe('fixed');
    expect(headers['x-token']).toBe(user === undefined ? undefined : `Bearer ${user}-1`);
    if (user !== undefined) withUser += 1;
  }
  expect(withUser).toBeGreaterThanOrEqual(calls.length);
  sessions.delete('');
  const users = [...sessions.values()].map((one) => [...one].sort());
  // One session for each user, and one for all of them, whose lists and handshake have no user.
  expect(users.filter((one) => one.length === 1)).toHaveLength(USERS.length);
  expect(users.filter((one) => one.length > 1)).toEqual([['', ...USERS]]);

  const client = await managed.connect('/mcp', { authorization: bearer('ann') });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('shared__echo');
});
