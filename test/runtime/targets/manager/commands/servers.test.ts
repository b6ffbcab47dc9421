import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { workplace } from './workplace.ts';

const folder = useTempFolder();
const serversIn = (text: string): unknown => parse(text)['servers'];

test('init creates a file without servers, but does not overwrite an existing file', async () => {
  const { run } = workplace(folder());
  expect(await run('init')).toEqual({
    code: 0,
    out: '',
    err: 'Created .mcpd.toml. Add a server with `mcp-manager add <name>`.\n',
  });
  expect(await run('init')).toMatchObject({
    code: 1,
    err: 'Error: .mcpd.toml already exists. Choose another file with --config.\n',
  });
  expect(await run('validate')).toMatchObject({
    code: 0,
    out: `${folder()}/.mcpd.toml is valid: 0 servers.\n`,
  });
  expect(await run('list')).toMatchObject({ code: 0, out: 'NAME  START  TOOLS  ENABLED\n' });
});

test('a known server is added with its package, tools and requirements', async () => {
  const { run, read } = workplace(folder());
  await run('init');
  expect(await run('add', 'Filesystem', '--tool', 'read_*', '--tool=list_directory')).toMatchObject({
    code: 0,
    err: 'Added filesystem to .mcpd.toml.\nThe server requires arguments. Run `mcp-manager config args set Filesystem -- dir`.\n',
  });
  expect(await run('add', 'time', '--version', '1.2.3', '--lazy', '--read-only')).toMatchObject({ code: 0 });
  expect(serversIn(read('.mcpd.toml'))).toEqual([
    {
      name: 'filesystem',
      package: 'npx::@modelcontextprotocol/server-filesystem@2026.8.31',
      required_args_positional: ['dir'],
      tools: ['read_*', 'list_directory'],
    },
    {
      name: 'time',
      package: 'uvx::mcp-server-time@1.2.3',
      tools: ['get_current_time', 'convert_time'],
      lazy: true,
      read_only: true,
    },
  ]);
  expect(await run('validate')).toMatchObject({
    code: 1,
    err: expect.stringContaining('requires the argument dir'),
  });
  await run('config', 'args', 'set', 'filesystem', '--', '/dir');
  expect(await run('validate')).toMatchObject({ code: 0 });
});

test('any program, package or URL can be added, and possible secrets are stored in the secrets file', async () => {
  const { run, read } = workplace(folder());
  await run('init');
  await run(
    'add',
    'a',
    '--tool',
    '*',
    '--env',
    'K=v=w',
    '--cwd',
    '/x',
    '--',
    'node',
    '-e',
    '1 + 1',
    '--flag',
  );
  await run('add', 'b', '--tool', '*', '--command', `node "my file.js" --x='a b'`);
  await run(
    'add',
    'c',
    '--tool',
    'x',
    '--url',
    'https://x.example/mcp',
    '--transport',
    'sse',
    '--header',
    'Authorization=Bearer $T',
  );
  await run('add', 'd', '--tool', 'x', '--package', 'npx::x@1');
  expect(serversIn(read('.mcpd.toml'))).toEqual([
    { name: 'a', command: 'node', args: ['-e', '1 + 1', '--flag'], tools: ['*'], cwd: '/x' },
    { name: 'b', command: 'node', args: ['my file.js', '--x=a b'], tools: ['*'] },
    { name: 'c', url: 'https://x.example/mcp', transport: 'sse', tools: ['x'] },
    { name: 'd', package: 'npx::x@1', tools: ['x'] },
  ]);
  expect(serversIn(read('secrets.toml'))).toEqual({
    a: { env: { K: 'v=w' } },
    c: { headers: { Authorization: 'Bearer $T' } },
  });
});

test.each([
  [['add'], 2, 'Missing argument: <name>.'],
  [['add', 'x', 'y'], 2, 'Unexpected argument "y".'],
  [['add', 'tme'], 1, 'No registry lists a server "tme". Did you mean "time"?'],
  [
    ['add', 'github'],
    1,
    'github is deprecated and receives no fixes. Pass --allow-deprecated to add it anyway.',
  ],
  [['add', 'time', '--runtime', 'docker'], 1, 'time has no package for docker. Available runtimes: uvx.'],
  [
    ['add', 'x', '--command', 'y'],
    2,
    'Missing option: --tool. Pass --tool <name> for each allowed tool, or --tool "*" for all.',
  ],
  [['add', 'x', '--command', ' ', '--tool', '*'], 2, 'The command is empty.'],
  [
    ['add', 'x', '--url', 'https://x', '--command', 'y', '--tool', '*'],
    2,
    '--package, --command, --url, --openapi and -- conflict with each other',
  ],
  [['add', 'a__b', '--command', 'y', '--tool', '*'], 1, 'invalid server name "a__b".'],
  [['add', 'x', '--package', 'y', '--tool', '*'], 1, 'invalid package "y".'],
  [['add', 'x', '--command', 'y', '--tool', '*', '--env', 'K'], 2, '"K" must have the form <name>=<value>.'],
  [
    ['add', 'x', '--command', 'y', '--tool', '*', '--header', 'K=v'],
    2,
    '--header requires --url or --openapi. For a local server, use --env.',
  ],
  [
    ['add', 'x', '--openapi', 'file://other/pets.yaml'],
    2,
    '--openapi: "file://other/pets.yaml" is not a file on this machine. A file: URL must have three slashes',
  ],
  [['remove', 'tine'], 1, 'Unknown server "tine". Did you mean "time"?'],
  [['remove'], 2, 'Missing argument: <name>.'],
])('the command %j is rejected, and nothing is written', async (args, code, message) => {
  const { run, read, write } = workplace(folder());
  const text = '[[servers]]\nname = "time"\ncommand = "x"\ntools = ["*"]\n';
  write('.mcpd.toml', text);
  expect(await run(...args)).toMatchObject({ code, out: '', err: expect.stringContaining(`Error: `) });
  expect((await run(...args)).err).toContain(message);
  expect(read('.mcpd.toml')).toBe(text);
  expect(read('secrets.toml')).toBe('');
});

test('an existing server cannot be added again', async () => {
  const { run } = workplace(folder());
  await run('init');
  await run('add', 'time');
  expect(await run('add', 'Time')).toMatchObject({
    code: 1,
    err: 'Error: Server "time" already exists. Remove it first with `mcp-manager remove time`.\n',
  });
});

test('remove deletes a server, and deletes its values only on request', async () => {
  const { run, read } = workplace(folder());
  await run('init');
  const empty = read('.mcpd.toml');
  await run('add', 'a', '--tool', '*', '--env', 'K=v', '--command', 'x');
  expect(await run('remove', 'A')).toMatchObject({ code: 0, err: 'Removed A from .mcpd.toml.\n' });
  expect(read('.mcpd.toml')).toBe(empty);
  expect(read('secrets.toml')).toBe('[servers.a.env]\nK = "v"\n');
  await run('add', 'a', '--tool', '*', '--command', 'x');
  expect((await run('remove', 'a', '--with-secrets')).err).toContain('Removed its values from secrets.toml.');
  expect(parse(read('secrets.toml'))).toEqual({});
});

test('list hides possible secrets', async () => {
  const { run, write } = workplace(folder());
  write(
    '.mcpd.toml',
    '[[servers]]\nname = "a"\ncommand = "x"\nargs = ["--token=abc"]\ntools = ["*"]\nenabled = false\n',
  );
  write('secrets.toml', '[servers.a.env]\nK = "hush-1"\nP = "${VAR}"\n');
  expect((await run('list')).out).toBe('NAME  START  TOOLS  ENABLED\na     x      *      no\n');
  const { out } = await run('list', '--format', 'json');
  expect(JSON.parse(out)).toEqual([
    {
      name: 'a',
      start: 'x',
      enabled: false,
      tools: ['*'],
      readOnly: false,
      lazy: false,
      args: ['--token=***'],
      env: { K: '***', P: '${VAR}' },
    },
  ]);
  expect((await run('list', '--format', 'yaml')).out).toContain('    K: "***"\n');
  expect((await run('list', '--format', 'json', '--reveal')).out).toContain('hush-1');
});

test('validate reports all problems, also as JSON', async () => {
  const { run, write } = workplace(folder());
  write('.mcpd.toml', '[[servers]]\nname = "a"\ncommand = "$NOT_SET_1"\ntools = 1\n');
  const text = await run('validate');
  expect(text).toMatchObject({ code: 1, out: '' });
  expect(text.err).toContain('Error: ');
  const { code, out } = await run('validate', '--format', 'json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    valid: false,
    problems: [expect.stringContaining('NOT_SET_1'), expect.stringContaining('tools must be')],
  });
});

test('a server without a name is not listed among the known servers', async () => {
  const { run, write } = workplace(folder());
  write('.mcpd.toml', '[[servers]]\n[[servers]]\nname = "time"\n');
  expect((await run('remove', 'xyz')).err).toBe('Error: Unknown server "xyz". Servers: time.\n');
});
