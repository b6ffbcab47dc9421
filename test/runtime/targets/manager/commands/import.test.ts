import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { workplace } from './workplace.ts';

const folder = useTempFolder();
const serversIn = (text: string): unknown => parse(text)['servers'];

test('import adds servers and stores their secrets in the secrets file', async () => {
  const { run, read, write, path } = workplace(folder());
  await run('init');
  const servers = {
    'My Server': { command: 'npx', args: ['-y', 'x', 'a$b'], env: { KEY: 'pa$$word', REF: '${env:R}' } },
    far: { type: 'http', url: 'https://x.example', headers: { Authorization: 'Bearer x' }, timeout: 5 },
  };
  write('c.json', JSON.stringify({ mcpServers: servers }));
  expect(await run('import', path('c.json'))).toEqual({
    code: 0,
    out: '',
    err: 'Warning: server "far": unknown key "timeout" is ignored.\nWarning: "My Server" was renamed to "my-server".\nImported my-server, far.\n',
  });
  expect(serversIn(read('.mcpd.toml'))).toEqual([
    { name: 'my-server', command: 'npx', args: ['-y', 'x', 'a$$b'], tools: ['*'] },
    { name: 'far', url: 'https://x.example', transport: 'http', tools: ['*'] },
  ]);
  expect(serversIn(read('secrets.toml'))).toEqual({
    'my-server': { env: { KEY: 'pa$$$$word', REF: '${R}' } },
    far: { headers: { Authorization: 'Bearer x' } },
  });
  expect(await run('import', path('c.json'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('Server "my-server" already exists.'),
  });
  expect(await run('import', path('none.json'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not exist. Pass the JSON'),
  });
});

test('secrets in arguments and URLs are stored in the secrets file, and printed lists hide them', async () => {
  const { run, read, write, path } = workplace(folder());
  await run('init');
  const url = 'https://me:hush-1@x.example/mcp?zone=1&key=hush-2#x';
  const servers = {
    far: { url },
    gh: { command: 'docker', args: ['run', '-e', 'API_KEY=hush-3', 'image'] },
    plain: { command: 'x', args: ['--verbose', '/folder'] },
  };
  write('c.json', JSON.stringify({ mcpServers: servers }));
  const { err } = await run('import', path('c.json'));
  expect(err).toContain('The url of far may contain a secret and was stored in secrets.toml.');
  expect(err).toContain(
    'The arguments of gh may contain a secret. The suspected argument and all arguments after it were stored in secrets.toml.',
  );
  const added = await run('add', 'b', '--tool', '*', '--', 'x', '--verbose', '--header', 'X-Auth: hush-4');
  expect(added.err).toContain('The arguments of b may contain a secret.');
  expect(read('.mcpd.toml')).not.toContain('hush');
  expect(serversIn(read('.mcpd.toml'))).toMatchObject([
    { url: 'https://x.example/mcp#x' },
    { args: ['run'] },
    { args: ['--verbose', '/folder'] },
    { args: ['--verbose'] },
  ]);
  expect(serversIn(read('secrets.toml'))).toEqual({
    far: { url },
    gh: { args: ['-e', 'API_KEY=hush-3', 'image'] },
    b: { args: ['--header', 'X-Auth: hush-4'] },
  });
  expect(await run('validate')).toMatchObject({ code: 0 });
  for (const args of [
    ['list', '--format', 'json'],
    ['config', 'args', 'list', 'gh'],
    ['list', '--config-file', path('c.json')],
  ])
    expect((await run(...args)).out).not.toContain('hush');
});

test('a problem with an imported server is reported with the name of the imported file', async () => {
  const { run, write, path } = workplace(folder());
  await run('init');
  write('c.json', '{"mcpServers": {"a": {"command": "x", "args": "y"}}}');
  expect(await run('import', path('c.json'))).toMatchObject({
    code: 1,
    err: 'Error: c.json: server "a": args must be a list of strings, not a string.\n',
  });
});
