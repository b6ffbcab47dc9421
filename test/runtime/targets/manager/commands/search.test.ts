import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { workplace } from './workplace.ts';

const folder = useTempFolder();

test('servers in files and in the built-in list can be searched by text and by each filter', async () => {
  const { run, read, path, write } = workplace(folder());
  await run('init');
  const registry = {
    clock: {
      name: 'Clock',
      description: 'Tells the time.',
      license: 'MIT',
      tags: ['Ticking'],
      categories: ['Utilities'],
      tools: [{ name: 'tick', description: 'x' }],
      installations: {
        docker: { package: 'acme/clock', version: '2' },
        npx: { package: 'clock', version: '1', recommended: true },
        pipx: { package: 'clock' },
      },
      arguments: {
        KEY: { type: 'environment', required: true },
        '--zone': { type: 'argument', required: true },
      },
    },
  };
  write('r.json', JSON.stringify(registry));
  const ids = async (...args: string[]): Promise<string[]> => {
    const { out } = await run('search', '--format', 'json', '--registry', path('r.json'), ...args);
    return (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
  };
  expect(await ids('time')).toEqual(['clock', 'time']);
  expect(await ids('--tool', 'TICK')).toEqual(['clock']);
  expect(await ids('--tag', 'ticking')).toEqual(['clock']);
  expect(await ids('--runtime', 'docker')).toEqual(['clock']);
  expect(await ids('--version', '2026.10.19')).toEqual(['time']);
  expect(await ids('--source', 'r.json')).toEqual(['clock']);
  expect(await ids('--category', 'utilities', '--official')).toEqual(['time']);
  expect(await ids('--license', 'mit', 'time')).toEqual(['clock', 'time']);
  expect(await ids('no such thing')).toEqual([]);
  await run('add', 'clock', '--registry', path('r.json'));
  expect(parse(read('.mcpd.toml'))['servers']).toMatchObject([
    {
      name: 'clock',
      package: 'npx::clock@1',
      tools: ['tick'],
      required_env: ['KEY'],
      required_args: ['--zone'],
    },
  ]);
});

test('config tools list --all shows the tools listed in the registry', async () => {
  const { run } = workplace(folder());
  await run('init');
  await run('add', 'time', '--tool', 'convert_time');
  await run('add', 'own', '--tool', '*', '--command', 'x');
  expect((await run('config', 'tools', 'list', 'time')).out).toBe('convert_time\n');
  expect((await run('config', 'tools', 'list', 'time', '--all')).out).toBe(
    'get_current_time\nconvert_time\n',
  );
  expect(await run('config', 'tools', 'list', 'own', '--all')).toMatchObject({
    code: 1,
    err: expect.stringContaining('No registry lists the package of own.'),
  });
});

test.each([
  ['{', 'is not a registry: invalid JSON: unexpected end of input.'],
  ['1', 'the registry must contain servers, in a list or in an object by ID.'],
  ['a: [', 'is not a registry: invalid YAML: '],
])('rejects the registry %s', async (text, message) => {
  const { run, path, write } = workplace(folder());
  write('r.json', text);
  const { code, err } = await run('search', '--registry', path('r.json'));
  expect(code).toBe(1);
  expect(err).toContain(message);
});

test('unusable servers are skipped and named in a warning, and other servers are found', async () => {
  const { run, path, write } = workplace(folder());
  await run('init');
  const installations = { npx: { package: 'good', version: '1.2.3' } };
  const bad = {
    number: 1,
    tool: { tools: [1], installations },
    package: { installations: { npx: {} } },
    option: { installations: { npx: { package: '--call=evil', version: '1' } } },
    source: { installations: { uvx: { command: 'uvx', args: ['--from', 'git+https://x.example', 'x'] } } },
  };
  write('r.json', JSON.stringify({ ...bad, good: { installations } }));
  const found = await run('search', 'good', '--registry', path('r.json'));
  expect(found.out).toContain('good');
  expect(found.err.split('\n')).toEqual([
    'Warning: r.json: skipped the server number: it must be an object, not 1.',
    'Warning: r.json: skipped the server tool: tool 1 must be an object, not 1.',
    'Warning: r.json: skipped the server package: its installation for npx names no package.',
    'Warning: r.json: skipped the server option: "--call=evil" is not a package name for npx.',
    'Warning: r.json: skipped the server source: "git+https://x.example" is not a package name for uvx.',
    '',
  ]);
  const { code, err } = await run('add', 'option', '--registry', path('r.json'));
  expect({ code, last: err.trimEnd().split('\n').at(-1) }).toEqual({
    code: 1,
    last: 'Error: r.json lists option, but it cannot be added: "--call=evil" is not a package name for npx.',
  });
  write('many.json', JSON.stringify({ ...bad, sixth: 6 }));
  expect((await run('search', '--registry', path('many.json'))).err).toBe(
    'Warning: many.json: 6 servers were skipped because they cannot be used: number, tool, package, option, source, sixth.\n',
  );
});
