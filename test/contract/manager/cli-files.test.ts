import { parse } from 'smol-toml';
import { expect } from 'vitest';
import { startLockHolder } from '../../helpers/lock-holder.ts';
import { verifiesOnce } from '../verifies.ts';
import { EXECUTABLE_COMMANDS } from './command-arms.ts';
import { startRemote } from '../../runtime/targets/manager/upstream/remote-fixture.ts';
import { useCommandFolder } from './command-folder.ts';
import { verifiesCommand } from './verifies.ts';

const folderOf = useCommandFolder();
const serversIn = (text: string): unknown => parse(text)['servers'];
const SERVER = '[[servers]]\nname = "a"\ncommand = "x"\ntools = ["*"]\n';

verifiesCommand('mcli:init', async (arm) => {
  const { run, read, path } = folderOf(arm);
  const { exitCode, stdout, stderr } = await run('init');
  expect([exitCode, stdout, stderr]).toEqual([0, '', expect.stringContaining(path('.mcpd.toml'))]);
  expect(serversIn(read('.mcpd.toml'))).toBeUndefined();
  expect(await run('init')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^Error: .* already exists/),
  });
  expect(await run('validate')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('0 servers') });
});

verifiesCommand('mcli:add', async (arm) => {
  const { run, read } = folderOf(arm);
  await run('init');
  await run('add', 'time');
  await run(
    'add',
    'Own',
    '--tool',
    'get_*',
    '--env',
    'KEY=hush-1',
    '--',
    'node',
    'server.mjs',
    '-v',
    '--token',
    'hush-2',
  );
  await run(
    'add',
    'far',
    '--tool',
    '*',
    '--url',
    'https://x.example/mcp?key=hush-3',
    '--header',
    'X-Key=hush-4',
  );
  await run('add', 'image', '--tool', '*', '--package', 'docker::mcp/time@1');
  expect(serversIn(read('.mcpd.toml'))).toEqual([
    expect.objectContaining({ name: 'time', package: expect.stringMatching(/^uvx::mcp-server-time@/) }),
    { name: 'own', command: 'node', args: ['server.mjs', '-v'], tools: ['get_*'] },
    { name: 'far', url: 'https://x.example/mcp', tools: ['*'] },
    { name: 'image', package: 'docker::mcp/time@1', tools: ['*'] },
  ]);
  expect(serversIn(read('secrets.toml'))).toEqual({
    own: { args: ['--token', 'hush-2'], env: { KEY: 'hush-1' } },
    far: { url: 'https://x.example/mcp?key=hush-3', headers: { 'X-Key': 'hush-4' } },
  });
  const again = await run('add', 'own', '--tool', '*', '--', 'x');
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('mcp-manager remove own')]);
});

verifiesCommand('mcli:remove', async (arm) => {
  const { run, read, write } = folderOf(arm);
  write('.mcpd.toml', SERVER);
  write('secrets.toml', '[servers.a.env]\nK = "v"\n');
  expect(await run('remove', 'b')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Servers: a.'),
  });
  expect(await run('remove', 'A', '--with-secrets')).toMatchObject({ exitCode: 0 });
  expect(serversIn(read('.mcpd.toml'))).toEqual([]);
  expect(parse(read('secrets.toml'))).toEqual({});
  expect((await run('list')).exitCode).toBe(0);
});

verifiesCommand('mcli:list', async (arm) => {
  const { run, write } = folderOf(arm);
  const [url, args] = [
    'url = "https://u:hush-1@x.example/?key=hush-2"',
    'args = ["--header", "X-Auth: hush-3"]',
  ];
  write('.mcpd.toml', `${SERVER}${args}\n[[servers]]\nname = "far"\ntools = ["t"]\n${url}\n`);
  write(
    'secrets.toml',
    '[servers.a]\nargs = ["-e", "MY_TOKEN=hush-4"]\nenv = { K = "hush-5", P = "${VAR}" }\n',
  );
  const table = await run('list');
  expect(table.stdout).toMatch(/^NAME +START +TOOLS +ENABLED\na +x +\* +yes\nfar +https:\/\/\S+ +t +yes\n$/);
  const json = await run('list', '--format', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject([
    { name: 'a', env: { K: '***', P: '${VAR}' } },
    { name: 'far' },
  ]);
  const yaml = await run('list', '--format', 'yaml');
  expect(yaml.stdout).toMatch(/^- name: a\n/);
  for (const { stdout } of [table, json, yaml]) expect(stdout).not.toContain('hush');
  expect((await run('list', '--format', 'json', '--reveal')).stdout.match(/hush-\d/g)).toHaveLength(5);
});

verifiesCommand('mcli:validate', async (arm) => {
  const { run, write, path } = folderOf(arm);
  write('.mcpd.toml', `${SERVER}comand = "y"\n[[servers]]\nname = "a"\nurl = "ftp://u:hush@x"\ntools = 1\n`);
  write('secrets.toml', '[servers.a]\nenv = "hush"\n');
  const { exitCode, stdout, stderr } = await run('validate');
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain(
    `${path('.mcpd.toml')}:5: server "a": unknown key "comand". Did you mean command?`,
  );
  expect(stderr).toMatch(/\.mcpd\.toml:9: .*tools must be/);
  expect(stderr).toMatch(/secrets\.toml:2: .*env must be a table/);
  expect(stderr).not.toContain('hush');
  const data = await run('validate', '--format', 'json');
  expect(data.exitCode).toBe(1);
  expect(JSON.parse(data.stdout)).toMatchObject({ valid: false, problems: expect.any(Array) });
  write('.mcpd.toml', SERVER);
  write('secrets.toml', '');
  expect(await run('validate')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 server') });
});

verifiesCommand('mcli:import', async (arm) => {
  const { run, read, write, path } = folderOf(arm);
  await run('init');
  const desktop = {
    'My Files': { command: 'npx', args: ['-y', 'server', '/folder'], env: { PORT: 80 }, disabled: true },
    github: { command: 'docker', args: ['run', '-i', '-e', 'GITHUB_TOKEN=hush-1', 'image'] },
    remote: { url: 'https://x.example/mcp', headers: { Authorization: 'Bearer hush$2' } },
  };
  write('claude.json', `// by hand\n${JSON.stringify({ mcpServers: desktop }).slice(0, -2)},}}`);
  const editor = { ask: { type: 'stdio', command: 'x', env: { K: '${input:my-key}', H: '${env:HOME}' } } };
  write('vscode.json', JSON.stringify({ inputs: [], servers: editor }));
  for (const file of ['claude.json', 'vscode.json'])
    expect((await run('import', path(file))).exitCode).toBe(0);
  expect(read('.mcpd.toml')).not.toContain('hush');
  expect(serversIn(read('.mcpd.toml'))).toMatchObject([
    { name: 'my-files', args: ['-y', 'server', '/folder'], enabled: false },
    { name: 'github', args: ['run', '-i'] },
    { name: 'remote', url: 'https://x.example/mcp' },
    { name: 'ask', command: 'x' },
  ]);
  expect(serversIn(read('secrets.toml'))).toEqual({
    'my-files': { env: { PORT: '80' } },
    github: { args: ['-e', 'GITHUB_TOKEN=hush-1', 'image'] },
    remote: { headers: { Authorization: 'Bearer hush$$2' } },
    ask: { env: { K: '${MCPD__ASK__MY_KEY}', H: '${HOME}' } },
  });
  write('broken.json', '{"mcpServers": {"a": {"env": {"K": "hush" "L": 1}}}}');
  const broken = await run('import', path('broken.json'));
  expect([broken.exitCode, broken.stderr]).toEqual([
    1,
    expect.stringMatching(/broken\.json: .*line 1, column \d+/),
  ]);
  expect(broken.stderr).not.toContain('hush');
});

verifiesCommand('mcli:export', async (arm) => {
  const { run, read, write, path } = folderOf(arm);
  write('.mcpd.toml', SERVER);
  write('secrets.toml', '[servers.a]\nargs = ["--port=hush"]\n[servers.a.env]\nKEY = "hush"\n');
  const outputs = ['--context-output', path('prod.toml'), '--contract-output', path('vars')];
  expect(await run('export', ...outputs)).toMatchObject({ exitCode: 0 });
  expect(read('prod.toml')).toContain('KEY = "${MCPD__A__KEY}"');
  expect(read('vars').split('\n')).toContain('MCPD__A__KEY=${MCPD__A__KEY}');
  expect(read('prod.toml') + read('vars')).not.toContain('hush');
  expect(await run('export', ...outputs)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--force'),
  });
  const onItself = await run('export', '--force', '--contract-output', path('.mcpd.toml'));
  expect(onItself).toMatchObject({ exitCode: 1, stdout: '' });
  expect(onItself.stderr).toContain('it is the exported configuration file. Choose another output path.');
});

verifiesOnce('mcli:config:at-once', async () => {
  const { run, write, path } = folderOf(EXECUTABLE_COMMANDS);
  write('.mcpd.toml', SERVER);
  const holder = await startLockHolder(path('secrets.toml'));
  await holder.kill();
  const names = Array.from({ length: 6 }, (_, index) => `KEY_${index}`);
  const edits = names.flatMap((name) => [
    run('config', 'env', 'set', 'a', `${name}=x`),
    run('config', 'tools', 'set', 'a', name),
  ]);
  for (const { exitCode, stderr } of await Promise.all(edits))
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  const lines = async (table: string): Promise<string[]> =>
    (await run('config', table, 'list', 'a')).stdout.trim().split('\n').toSorted();
  expect(await lines('env')).toEqual(names.map((name) => `${name}=***`));
  expect(await lines('tools')).toEqual(['*', ...names]);
});

verifiesCommand('mcli:login-mistakes', async (arm) => {
  const { run, write } = folderOf(arm);
  const remote = await startRemote('remote.mjs');
  write('.mcpd.toml', `${SERVER}\n[[servers]]\nname = "remote"\ntools = ["*"]\nurl = "${remote.url}/mcp"\n`);
  const mistakes = [
    ['login remoet', 'No enabled server is named "remoet". Did you mean remote?'],
    ['login a', 'Server a is a program on this machine. Only servers with a url support sign-in.'],
    ['login remote', 'Not signed in to remote: the server does not require a sign-in.'],
  ] as const;
  for (const [words, message] of mistakes) {
    const { exitCode, stdout, stderr } = await run(...words.split(' '));
    expect([exitCode, stdout, stderr]).toEqual([1, '', `Error: ${message}\n`]);
  }
  const out = await run('logout', 'remote');
  expect([out.exitCode, out.stdout]).toEqual([0, 'Not signed in to remote.\n']);
});
