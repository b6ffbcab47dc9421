import * as fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { readConfig } from '#manager/config/read-config.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { SERVERS, workplace } from './workplace.ts';

const folder = useTempFolder();

function start() {
  const place = workplace(folder());
  place.write('.mcpd.toml', SERVERS);
  return place;
}

test('config args: set, list, remove and clear', async () => {
  const { run, read } = start();
  expect(await run('config', 'args', 'set', 'A', '--', '--mode=x', 'p', 'q', '--token=hush')).toEqual({
    code: 0,
    out: '',
    err: 'Changed secrets.toml.\n',
  });
  expect((await run('config', 'args', 'list', 'a')).out).toBe('--mode=x\np\nq\n--token=***\n');
  expect((await run('config', 'args', 'list', 'a', '--reveal', '--format', 'json')).out).toContain(
    '"--token=hush"',
  );
  await run('config', 'args', 'set', 'a', '--', '--mode=y');
  expect(parse(read('secrets.toml'))).toEqual({
    servers: { a: { args: ['--mode=y', 'p', 'q', '--token=hush'] } },
  });
  await run('config', 'args', 'remove', 'a', '--', '--mode', 'q');
  expect(parse(read('secrets.toml'))).toEqual({ servers: { a: { args: ['p', '--token=hush'] } } });
  await run('config', 'args', 'clear', 'a');
  expect(parse(read('secrets.toml'))).toEqual({});
});

test('setting the same arguments in a different order changes the file', async () => {
  const { run, read } = start();
  await run('config', 'args', 'set', 'a', '--', 'p', 'q');
  expect(await run('config', 'args', 'set', 'a', '--', 'q', 'p')).toMatchObject({
    err: 'Changed secrets.toml.\n',
  });
  expect(parse(read('secrets.toml'))).toEqual({ servers: { a: { args: ['q', 'p'] } } });
  expect(await run('config', 'args', 'set', 'a', '--', 'q', 'p')).toMatchObject({
    err: 'Nothing to change in secrets.toml.\n',
  });
});

test.each([
  ['env', 'a', ['K=v=w', 'E='], 'K=***\nE=\n'],
  ['headers', 'far', ['X-Key=v'], 'X-Key=***\n'],
  ['volumes', 'a', ['work=$HOME/x'], 'work=$HOME/x\n'],
])('config %s: set, list, remove and clear', async (kind, server, pairs, listed) => {
  const { run, read } = start();
  expect(await run('config', kind, 'set', server, ...pairs)).toMatchObject({
    code: 0,
    err: 'Changed secrets.toml.\n',
  });
  expect((await run('config', kind, 'list', server)).out).toBe(listed);
  const values = Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  expect(parse(read('secrets.toml'))).toEqual({ servers: { [server]: { [kind]: values } } });
  const [name = ''] = Object.keys(values);
  expect(await run('config', kind, 'remove', server, `${name}x`)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`"${name}x" is not in the list of `),
  });
  await run('config', kind, 'remove', server, name);
  expect(read('secrets.toml')).not.toContain(name);
  await run('config', kind, 'set', server, ...pairs);
  await run('config', kind, 'clear', server);
  expect(parse(read('secrets.toml'))).toEqual({});
});

test('setting a value keeps all placeholders in the file', async () => {
  const { run, read, write } = start();
  const text =
    '# mine\n[servers.a.env]\nKEY = "${MCPD__A__KEY}" # vault\n\n[servers.far.headers]\nA = "Bearer $T"\n';
  write('secrets.toml', text);
  await run('config', 'env', 'set', 'a', 'NEW=${OTHER}');
  expect(read('secrets.toml')).toBe(text.replace('# vault\n', '# vault\nNEW = "${OTHER}"\n'));
});

test('a value set with --literal is passed to the server unchanged', async () => {
  const { run, path } = start();
  const value = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !text.includes('\0'));
  await run('config', 'volumes', 'set', 'a', 'work=/w');
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      expect(await run('config', 'env', 'set', '--literal', 'a', '--', `K=${text}`)).toMatchObject({
        code: 0,
      });
      const { servers } = await readConfig({ config: path('.mcpd.toml'), runtime: path('secrets.toml') }, {});
      expect(servers[0]?.launch).toMatchObject({ env: { K: text } });
    }),
    { numRuns: 40 },
  );
});

test('config tools: set, list and remove', async () => {
  const { run, read } = start();
  await run('config', 'tools', 'set', 'a', '--tool', 'two', '--tool', 'one', 'get_*');
  expect(read('.mcpd.toml')).toBe(SERVERS.replace('["one"]', '["one", "get_*", "two"]'));
  expect((await run('config', 'tools', 'list', 'a')).out).toBe('one\nget_*\ntwo\n');
  await run('config', 'tools', 'remove', 'a', 'two', 'get_*');
  expect(read('.mcpd.toml')).toBe(SERVERS);
  expect(await run('config', 'tools', 'remove', 'a', 'tow')).toMatchObject({
    code: 1,
    err: 'Error: "tow" is not in the list of allowed tools for a. It contains one.\n',
  });
  await run('config', 'tools', 'set', 'a', 'three', '--replace');
  expect((await run('config', 'tools', 'list', 'a', '--format', 'json')).out).toBe('[\n  "three"\n]\n');
  expect(await run('config', 'tools', 'set', 'a')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Missing option: --tool <name>.'),
  });
});

test('config prompts and resources: all are allowed until a list is set, and --deny sets a separate list', async () => {
  const { run, read } = start();
  expect((await run('config', 'prompts', 'list', 'a')).out).toBe('*\n');
  await run('config', 'prompts', 'set', 'a', 'p_*');
  await run('config', 'resources', 'set', 'far', '--deny', '--resource', 'file:///secret/*');
  expect(parse(read('.mcpd.toml'))['servers']).toMatchObject([
    { prompts: ['p_*'] },
    { deny_resources: ['file:///secret/*'] },
  ]);
  expect((await run('config', 'resources', 'list', 'far', '--deny')).out).toBe('file:///secret/*\n');
});

test('config daemon: set, get, list, remove and validate', async () => {
  const { run, read } = start();
  const set = [
    'api.addr=127.0.0.1:1',
    'api.cors.enable=true',
    'api.cors.allow_origins=https://a.example, https://b.example',
    'mcp.timeout.init=1m',
  ];
  expect(await run('config', 'daemon', 'set', ...set)).toMatchObject({
    code: 0,
    err: 'Changed .mcpd.toml.\n',
  });
  expect(read('.mcpd.toml').startsWith(SERVERS)).toBe(true);
  expect((await run('config', 'daemon', 'list')).out).toBe(
    'api.addr=127.0.0.1:1\napi.cors.enable=true\napi.cors.allow_origins=https://a.example,https://b.example\nmcp.timeout.init=1m\n',
  );
  expect((await run('config', 'daemon', 'get', 'mcp.timeout.init')).out).toBe('1m\n');
  expect(
    JSON.parse((await run('config', 'daemon', 'get', 'api.cors', '--format', 'json')).out),
  ).toMatchObject({ enable: true });
  expect((await run('config', 'daemon', 'list', '--available')).out).toContain('mcp.interval.health\n');
  expect(
    await run('config', 'daemon', 'remove', ...set.map((pair) => pair.split('=')[0] ?? '')),
  ).toMatchObject({ code: 0 });
  expect(parse(read('.mcpd.toml'))['daemon']).toBeUndefined();
  expect(await run('config', 'daemon', 'validate')).toMatchObject({ code: 0 });
});

test.each([
  [['config', 'daemon', 'set', 'api.adr=x'], 1, '[daemon] has no setting "api.adr". Did you mean api.addr?'],
  [['config', 'daemon', 'set', 'zzzzzz=x'], 1, 'See `mcp-manager config daemon list --available`.'],
  [['config', 'daemon', 'set', 'api.addr=x'], 1, '[daemon.api]: addr must be <host>:<port>'],
  [['config', 'daemon', 'set', 'api.cors.enable=maybe'], 1, 'enable must be true or false, not "maybe"'],
  [['config', 'daemon', 'set', 'mcp.timeout.init=soon'], 1, 'init must be a positive duration'],
  [['config', 'env', 'set', 'aa', 'K=v'], 1, 'Unknown server "aa".'],
  [['config', 'env', 'set', 'a', 'K'], 2, '"K" must have the form <name>=<value>.'],
  [['config', 'env', 'set', 'a'], 2, 'Missing argument: <NAME=value>.'],
  [['config', 'args', 'set', 'a', '--mode=x'], 2, 'Put arguments that start with a dash after --.'],
  [['config', 'volumes', 'list'], 2, 'Missing argument: <server>.'],
])('the command %j is rejected, and nothing is written', async (args, code, message) => {
  const { run, read } = start();
  const said = await run(...args);
  expect(said).toMatchObject({ code, out: '' });
  expect(said.err).toContain(message);
  expect(read('.mcpd.toml')).toBe(SERVERS);
  expect(read('secrets.toml')).toBe('');
});

test('config groups: set, list, preview and remove', async () => {
  const { run, read } = start();
  expect(await run('config', 'groups', 'set', 'Daily', '--server', 'a', '--tool', 'far/get_*')).toEqual({
    code: 0,
    out: '',
    err: 'Changed .mcpd.toml.\n',
  });
  expect(read('.mcpd.toml')).toBe(
    `${SERVERS}\n[[groups]]\nname = "Daily"\nservers = [ "a" ]\ntools = [ "far/get_*" ]\n`,
  );
  expect((await run('config', 'groups', 'list')).out).toMatch(/^GROUP .*\ndaily +a +far\/get_\* +- +- +-\n$/);
  const change = ['config', 'groups', 'set', 'daily', '--server', 'far', '--resource', 'a/file:///x,y'];
  const shown = await run(...change, '--dry-run');
  expect(shown.out).toContain('\n+servers = [ "far" ]\n');
  expect(read('.mcpd.toml')).toContain('"Daily"');
  await run(...change);
  expect(JSON.parse((await run('config', 'groups', 'list', '--json')).out)).toEqual([
    { name: 'daily', servers: ['far'], tools: [], prompts: [], resources: ['a/file:///x,y'] },
  ]);
  const inMode = ['config', 'groups', 'set', 'daily', '--server', 'a', '--mcp-mode'];
  await run(...inMode, 'code');
  expect(read('.mcpd.toml')).toContain('name = "daily"\nservers = [ "a" ]\nmcp_mode = "code"\n');
  expect((await run('config', 'groups', 'list')).out).toMatch(/\ndaily .* code\n$/);
  expect(await run(...inMode, 'script')).toMatchObject({ code: 2, err: expect.stringContaining('script') });
  await run('config', 'groups', 'set', 'daily', '--server', 'a');
  expect(read('.mcpd.toml')).not.toContain('mcp_mode');
  expect((await run('config', 'groups', 'set', 'x', '--server', 'b')).err).toContain('no server matches "b"');
  expect((await run('config', 'groups', 'remove', 'dail')).err).toContain('Did you mean "daily"?');
  expect((await run('config', 'groups', 'remove', 'daily')).code).toBe(0);
  expect(read('.mcpd.toml')).toBe(SERVERS);
});
