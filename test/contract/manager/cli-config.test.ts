import { expect } from 'vitest';
import type { CommandArm } from '../command-arms.ts';
import { EXECUTABLE_COMMANDS } from './command-arms.ts';
import { useCommandFolder } from './command-folder.ts';
import { verifiesCommand } from './verifies.ts';

const folderOf = useCommandFolder();
/** The kinds of one command differ in a single word; the executable runs only the first. */
const kindsFor = <Kind>(arm: CommandArm, kinds: readonly Kind[]): readonly Kind[] =>
  arm === EXECUTABLE_COMMANDS ? kinds.slice(0, 1) : kinds;
const SERVER = '[[servers]]\nname = "a"\ncommand = "x"\ntools = ["*"]\n';

verifiesCommand('mcli:config:groups', async (arm) => {
  const { run, read, write } = folderOf(arm);
  write('.mcpd.toml', SERVER);
  const set = ['config', 'groups', 'set', 'daily', '--server', 'a'];
  expect((await run(...set, '--dry-run')).stdout).toContain('+[[groups]]\n+name = "daily"\n');
  expect(read('.mcpd.toml')).toBe(SERVER);
  await run(...set);
  expect(JSON.parse((await run('config', 'groups', 'list', '--json')).stdout)).toMatchObject([
    { name: 'daily', servers: ['a'] },
  ]);
  expect((await run('config', 'groups', 'remove', 'daily')).exitCode).toBe(0);
  expect(read('.mcpd.toml')).toBe(SERVER);
});

verifiesCommand('mcli:config:secrets', async (arm) => {
  const { run, read, write } = folderOf(arm);
  write('.mcpd.toml', `${SERVER}[[servers]]\nname = "far"\nurl = "https://x.example"\ntools = ["*"]\n`);
  const value = 'p$a"s\'s\nwörd 😀 = -x';
  const kinds = [
    ['env', 'a', 'Ü_KEY'],
    ['headers', 'far', 'X-Key'],
    ['volumes', 'a', 'work'],
  ] as const;
  for (const [kind, server, name] of kindsFor(arm, kinds)) {
    await run('config', kind, 'set', server, '--literal', `${name}=${value}`, 'other=$HOME');
    const hidden = kind === 'volumes' ? [] : ['--reveal'];
    const listed = await run('config', kind, 'list', server, '--format', 'json', ...hidden);
    expect(JSON.parse(listed.stdout)).toEqual({ [name]: value.replaceAll('$', '$$$$'), other: '$$HOME' });
    if (kind !== 'volumes')
      expect((await run('config', kind, 'list', server)).stdout).toContain(`${name}=***\n`);
    expect(await run('config', kind, 'remove', server, 'othe')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Did you mean "other"?'),
    });
    await run('config', kind, 'remove', server, 'other');
    expect((await run('config', kind, 'clear', server)).exitCode).toBe(0);
    expect((await run('config', kind, 'list', server)).stdout).toBe('');
  }
  await run('config', 'args', 'set', 'a', '--', '--token=t', '--flag', '-n', '3', 'operand', '-');
  await run('config', 'args', 'set', 'a', '--', '--token=u');
  const args = await run('config', 'args', 'list', 'a');
  expect(args.stdout).toBe('--token=***\n--flag\n-n\n3\noperand\n-\n');
  await run('config', 'args', 'remove', 'a', '--', '--flag');
  expect((await run('config', 'args', 'list', 'a', '--reveal')).stdout).toBe(
    '--token=u\n-n\n3\noperand\n-\n',
  );
  await run('config', 'args', 'clear', 'a');
  expect(read('secrets.toml').trim()).toBe('');
  expect(await run('config', 'env', 'set', 'b', 'K=v')).toMatchObject({
    exitCode: 1,
    stderr: 'Error: Unknown server "b". Servers: a, far.\n',
  });
});

verifiesCommand('mcli:config:names', async (arm) => {
  const { run, write } = folderOf(arm);
  write('.mcpd.toml', SERVER);
  const kinds = [
    ['tools', '--tool'],
    ['prompts', '--prompt'],
    ['resources', '--resource'],
  ] as const;
  for (const [kind, option] of kindsFor(arm, kinds)) {
    await run('config', kind, 'set', 'a', 'one', option, 'two_*', '--replace');
    expect((await run('config', kind, 'list', 'a')).stdout).toBe('one\ntwo_*\n');
    await run('config', kind, 'set', 'a', 'two_x', '--deny');
    expect((await run('config', kind, 'list', 'a', '--deny')).stdout).toBe('two_x\n');
    await run('config', kind, 'remove', 'a', 'one');
    expect((await run('config', kind, 'list', 'a', '--format', 'json')).stdout.trim()).toMatch(
      /^\[\s+"two_\*"\s+\]$/,
    );
    expect((await run('config', kind, 'remove', 'a', 'one')).exitCode).toBe(1);
  }
});

verifiesCommand('mcli:config:daemon', async (arm) => {
  const { run, read, write } = folderOf(arm);
  write('.mcpd.toml', SERVER);
  await run('config', 'daemon', 'set', 'api.addr=127.0.0.1:9', 'mcp.timeout.init=9s');
  expect((await run('config', 'daemon', 'get', 'api.addr')).stdout).toBe('127.0.0.1:9\n');
  expect((await run('config', 'daemon', 'list')).stdout).toBe('api.addr=127.0.0.1:9\nmcp.timeout.init=9s\n');
  expect((await run('config', 'daemon', 'validate')).exitCode).toBe(0);
  expect(await run('config', 'daemon', 'set', 'mcp.timeout.int=1s')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('mcp.timeout.init'),
  });
  expect(await run('config', 'daemon', 'set', 'mcp.timeout.init=soon')).toMatchObject({ exitCode: 1 });
  await run('config', 'daemon', 'remove', 'api.addr', 'mcp.timeout.init');
  expect(read('.mcpd.toml')).toBe(SERVER);
});

verifiesCommand('mcli:config:plugins', async (arm) => {
  const { run, read, write } = folderOf(arm);
  write('.mcpd.toml', SERVER);
  const plugins = (command: string, ...args: string[]) => run('config', 'plugins', command, ...args);
  await plugins('set', '--dir', 'plugins');
  await plugins('add', 'first', '--category', 'audit', '--flow', 'request', '--required');
  await plugins(
    'add',
    'second',
    '--category',
    'audit',
    '--flow',
    'response',
    '--kind',
    'http',
    '--url',
    'http://x',
  );
  expect((await plugins('list')).stdout).toBe('audit first request required\naudit second response\n');
  await plugins('set', '--category', 'audit', '--name', 'second', '--timeout', '2s');
  await plugins('move', '--category', 'audit', '--name', 'second', '--before', 'first');
  expect((await plugins('get', '--category', 'audit', '--name', 'second')).stdout).toContain('timeout=2s\n');
  expect((await plugins('list')).stdout).toMatch(/^audit second .*\naudit first /);
  expect((await plugins('validate')).exitCode).toBe(0);
  expect(await plugins('validate', '--check-binaries')).toMatchObject({ exitCode: 1 });
  for (const name of ['first', 'second']) await plugins('remove', '--category', 'audit', '--name', name);
  expect(read('.mcpd.toml')).toBe(`${SERVER}\n[plugins]\ndir = "plugins"\n`);
});

verifiesCommand('mcli:config:preserved', async (arm) => {
  const { run, read, write } = folderOf(arm);
  const config = [
    '# ours',
    'daemon.api.addr = "127.0.0.1:9" # dotted',
    '',
    '# about b',
    '[[servers]]',
    '  tools = [',
    '    "one", # first',
    '    # between',
    '    "two",',
    '  ]',
    "  command = '/bin/b'   # how",
    '  name = "b"',
    'env.X = "${VAR}"',
    '# the end',
    '',
  ].join('\r\n');
  write('.mcpd.toml', config);
  write(
    'secrets.toml',
    '[servers.b] # b\nenv = { A = "${MCPD__B__A}", B = "b" } # inline\n\n# none\n[servers.c.env]\nZ = "$Z"\n',
  );
  await run('config', 'tools', 'set', 'b', 'three');
  expect(read('.mcpd.toml')).toBe(config.replace('"two",\r\n', '"two",\r\n    "three",\r\n'));
  await run('config', 'tools', 'remove', 'b', 'three');
  await run('config', 'daemon', 'set', 'api.addr=127.0.0.1:8');
  await run('add', 'c', '--tool', '*', '--', '/bin/c');
  await run('remove', 'c');
  expect(read('.mcpd.toml').replace(':8"', ':9"').trimEnd()).toBe(config.trimEnd());
  await run('config', 'env', 'set', 'b', 'B=c');
  expect(read('secrets.toml')).toBe(
    '[servers.b] # b\nenv = { A = "${MCPD__B__A}", B = "c" } # inline\n\n# none\n[servers.c.env]\nZ = "$Z"\n',
  );
});
