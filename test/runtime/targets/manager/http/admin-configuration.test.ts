import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { useDescribed } from './use-described.ts';

const ADMIN = '/api/v1/admin';
const { manager, send } = useDescribed();
describe('the configuration API', () => {
  const SERVERS = `${ADMIN}/configuration/servers`;
  const list = async (query = '') => (await send('GET', `${ADMIN}/configuration${query}`)).body;

  test("a server's text is previewed as a diff, then written and applied, keeping comments", async () => {
    expect(await list()).toMatchObject({
      path: manager().path('.mcpd.toml'),
      editable: true,
      total: 2,
      servers: [
        { name: 'echo', enabled: true },
        { name: 'careful', lazy: true },
      ],
    });
    const { body } = await send('GET', `${SERVERS}/ECHO`);
    expect(body.text).toMatch(/^# The servers of the team\.\n\[\[servers\]\]\nname = "echo"\n/);
    const change = { text: `${body.text}concurrency = 3\n`, revision: body.revision };
    const before = manager().read('.mcpd.toml');
    const preview = await send('PUT', `${SERVERS}/echo?dry_run=true`, change);
    expect(preview.body).toMatchObject({
      written: false,
      diff: expect.stringContaining('\n+concurrency = 3\n'),
    });
    expect(preview.body).not.toHaveProperty('applied');
    expect(manager().read('.mcpd.toml')).toBe(before);

    const written = await send('PUT', `${SERVERS}/echo`, change);
    expect(written.body).toMatchObject({ written: true, applied: { updated: ['echo'], restarted: [] } });
    expect(manager().read('.mcpd.toml')).toBe(before.replace('\n# Has', 'concurrency = 3\n\n# Has'));
    // The text is based on an outdated file.
    const stale = await send('PUT', `${SERVERS}/echo`, change);
    expect([stale.status, stale.body.detail]).toEqual([409, expect.stringContaining('has changed since')]);
  });

  test.each([
    ['[[servers]]\nname = "echo"\n', 422, /exactly one of package, command, url and openapi/],
    ['[[servers]\n', 422, /not valid TOML/],
    ['[daemon]\naddr = "0.0.0.0:1"\n', 422, /exactly one \[\[servers\]\] table/],
    ['[[servers]]\nname = "careful"\ncommand = "x"\ntools = ["*"]\n', 422, /duplicate server name/],
  ])('the invalid text %j does not change the file', async (text, status, reason) => {
    const before = manager().read('.mcpd.toml');
    const answer = await send('PUT', `${SERVERS}/echo`, { text });
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(reason)]);
    expect(manager().read('.mcpd.toml')).toBe(before);
  });

  test('a server is added and removed together with its secrets in the secrets file', async () => {
    const server = {
      name: 'Added',
      settings: {
        command: process.execPath,
        args: ['--eval', '', '--token=tok-5ecret'],
        tools: ['*'],
        lazy: true,
      },
      secrets: { env: { API_KEY: 'env-5ecret' } },
    };
    const preview = await send('POST', `${SERVERS}?dry_run=true`, server);
    expect(preview.body).toMatchObject({
      written: false,
      diff: expect.stringContaining('+name = "added"'),
      warnings: [expect.stringContaining('may contain a secret')],
    });
    expect(existsSync(manager().path('secrets.toml'))).toBe(false);
    const added = await send('POST', SERVERS, server);
    expect(added.body).toMatchObject({ written: true, applied: { added: ['added'] } });
    expect(manager().read('.mcpd.toml')).not.toContain('5ecret');
    expect(manager().read('secrets.toml')).toContain('env-5ecret');
    expect(added.text + preview.text).not.toContain('5ecret');
    expect((await send('POST', SERVERS, server)).body.detail).toContain('already exists');
    expect((await send('POST', SERVERS, { ...server, settings: { tools: null } })).status).toBe(422);

    const removed = await send('DELETE', `${SERVERS}/added?with_secrets=true`);
    expect(removed.body).toMatchObject({ written: true, applied: { removed: ['added'] } });
    expect(manager().read('secrets.toml')).not.toContain('5ecret');
    expect((await list('?q=added')).total).toBe(0);
    expect((await send('GET', `${SERVERS}/added`)).status).toBe(404);
    expect((await send('DELETE', `${SERVERS}/added`)).status).toBe(422);
  });

  test('a server that cannot start stays in the file, and the response contains the reason', async () => {
    const settings = { command: process.execPath, args: ['--eval', 'process.exit(3)'], tools: ['*'] };
    const { body } = await send('POST', SERVERS, { name: 'broken', settings });
    expect(body).toMatchObject({ written: true, problem: expect.stringContaining('broken') });
    expect(manager().read('.mcpd.toml')).toContain('name = "broken"');
    expect((await send('DELETE', `${SERVERS}/broken`)).body.written).toBe(true);
  });
});

describe('groups', () => {
  const GROUPS = `${ADMIN}/configuration/groups`;
  const names = async () =>
    (await send('GET', '/api/v1/groups')).body.groups.map(({ name }: { name: string }) => name);

  test('a group can be created, changed and removed in the file, each after a preview of the diff', async () => {
    const group = { name: 'Daily', servers: ['echo'], tools: ['careful/add'], mcpMode: 'search' };
    const preview = await send('POST', `${GROUPS}?dry_run=true`, group);
    expect(preview.body).toMatchObject({ written: false, diff: expect.stringContaining('+name = "Daily"') });
    expect(await names()).toEqual(['research']);
    const before = manager().read('.mcpd.toml');
    expect((await send('POST', GROUPS, group)).body).toMatchObject({ written: true });
    expect(manager().read('.mcpd.toml')).toBe(
      `${before}\n[[groups]]\nname = "Daily"\nservers = [ "echo" ]\ntools = [ "careful/add" ]\nmcp_mode = "search"\n`,
    );
    expect(await names()).toEqual(['research', 'daily']);
    expect((await send('GET', '/api/v1/groups')).body.groups[1]).toMatchObject({ mcpMode: 'search' });
    expect((await manager().get('/groups/daily/api/v1/servers')).body).toEqual(['echo']);
    expect((await send('POST', GROUPS, group)).body.detail).toContain('duplicate group name');

    const { body: read } = await send('GET', `${GROUPS}/DAILY`);
    expect(read).toMatchObject({ ...group, prompts: [], resources: [], path: manager().path('.mcpd.toml') });
    const { revision } = read;
    const change = { name: 'daily', servers: ['echo', 'careful'], revision };
    const changed = await send('PUT', `${GROUPS}/daily?dry_run=true`, change);
    expect(changed.body.diff).toContain('\n-tools = [ "careful/add" ]\n');
    expect((await send('PUT', `${GROUPS}/daily`, change)).body).toMatchObject({ written: true });
    expect(await send('PUT', `${GROUPS}/daily`, change)).toMatchObject({ status: 409 });

    expect((await send('DELETE', `${GROUPS}/daily?dry_run=true`)).body.diff).toContain('-name = "daily"');
    expect((await send('DELETE', `${GROUPS}/daily`)).body).toMatchObject({ written: true });
    expect(await names()).toEqual(['research']);
    expect(manager().read('.mcpd.toml')).toBe(before);
    expect((await send('GET', `${GROUPS}/daily`)).status).toBe(404);
    expect((await send('DELETE', `${GROUPS}/daily`)).body.detail).toContain(
      'Unknown group "daily". Groups: research.',
    );
  });

  test.each([
    [{ name: 'x', servers: ['ech'] }, /no server matches "ech"/],
    [{ name: 'x' }, /the group is empty/],
    [{ name: 'a b', servers: ['echo'] }, /invalid group name "a b"/],
    [{ name: 'x', tools: ['add'] }, /server\/name/],
  ])('the invalid group %j does not change the file', async (group, reason) => {
    const before = manager().read('.mcpd.toml');
    const answer = await send('POST', GROUPS, group);
    expect([answer.status, answer.body.detail]).toEqual([422, expect.stringMatching(reason)]);
    expect(manager().read('.mcpd.toml')).toBe(before);
  });

  test('changing a group requires edit permission, and reading it requires admin permission', async () => {
    const { admin, user } = manager().keys;
    expect((await send('DELETE', `${GROUPS}/research`, undefined, admin)).status).toBe(403);
    expect((await send('GET', `${GROUPS}/research`, undefined, admin)).status).toBe(200);
    expect((await send('GET', `${GROUPS}/research`, undefined, user)).status).toBe(403);
  });
});
