import { describe, expect, test } from 'vitest';
import { serverFromEntry } from '#manager/registry/choose-installation.ts';
import { readEntries } from '#manager/registry/formats/format.ts';
import { catalogFormat } from '#manager/registry/formats/catalog.ts';
import { officialFormat } from '#manager/registry/formats/official.ts';

const QUERY = { id: 'x', runtime: undefined, version: undefined, allowDeprecated: false, variables: {} };

const word = (value: string, more: object = {}) => ({ type: 'positional', value, ...more });
const named = (name: string, value?: string, more: object = {}) => ({ type: 'named', name, value, ...more });

/** The table that `add` creates for a server with these runtime arguments, or the reason why it cannot. */
function add(registryType: string, identifier: string, runtimeArguments: object[], more: object = {}) {
  const value = {
    name: 'com.example/x',
    packages: [
      { registryType, identifier, version: '1.0.0', transport: { type: 'stdio' }, runtimeArguments, ...more },
    ],
  };
  const { entries, skipped } = readEntries(officialFormat, [{ id: 'x', value }], 'test');
  const [entry] = entries;
  if (!entry) return skipped.map(({ reason }) => reason);
  const { table, notes } = serverFromEntry(entry, QUERY);
  return { ...table, ...(notes.length > 0 && { notes }) };
}

const NPX = { package: 'npx::@a/x@1.0.0' };
const UVX = { package: 'uvx::x@1.0.0' };
const DOCKER = { package: 'docker::a/x@1.0.0' };

describe('arguments of npx', () => {
  test.each([
    ['-y', [word('-y', { isRequired: true }), named('--yes')], NPX],
    ['the package itself', [word('-y'), word('@a/x@1.0.0')], NPX],
    [
      'the package and arguments',
      [word('-y'), word('@a/x'), word('serve $1')],
      { ...NPX, args: ['serve $$1'] },
    ],
    [
      'a program in the package',
      [named('--package', '@a/x@1.0.0'), word('x-mcp')],
      { ...NPX, package_bin: 'x-mcp' },
    ],
    [
      'a program after two words',
      [word('-p'), word('@a/x'), word('x-mcp'), word('run')],
      { ...NPX, package_bin: 'x-mcp', args: ['run'] },
    ],
    [
      'another package',
      [named('--package', 'other'), named('--node-options', '--inspect')],
      {
        ...NPX,
        notes: [
          'Warning: the registry lists npx options for x that are not used: --package=other --node-options=--inspect',
        ],
      },
    ],
    [
      'a required option',
      [named('--node-options', '--inspect', { isRequired: true })],
      ['its package requires npx options that are not supported: --node-options=--inspect.'],
    ],
  ])('%s', (_, options, expected) => {
    expect(add('npm', '@a/x', options)).toEqual(expected);
  });

  test('options for a program that is not used are listed in a warning', () => {
    expect(add('npm', '@a/x', [word('dist/index.js')], { runtimeHint: 'node' })).toEqual({
      ...NPX,
      notes: ['Warning: the registry lists node options for x that are not used: dist/index.js'],
    });
  });
});

test.each([
  ['a program in the package', [named('--from', 'x'), word('x-mcp')], { ...UVX, package_bin: 'x-mcp' }],
  [
    'further requirements',
    [named('--with', 'mcp<2'), named('--with', 'httpx')],
    { ...UVX, package_with: ['mcp<2', 'httpx'] },
  ],
  [
    'another source',
    [named('--from', 'git+https://x.example/x', { isRequired: true }), word('x')],
    ['its package requires uvx options that are not supported: --from=git+https://x.example/x.'],
  ],
])('arguments of uvx: %s', (_, options, expected) => {
  expect(add('pypi', 'x', options)).toEqual(expected);
});

test.each([
  ['options that are always set', ['run', '-i', '--rm', '--init'].map((one) => word(one)), DOCKER],
  ['the network', [named('--network', 'host')], DOCKER],
  ['a variable with a value', [named('-e', 'MODE=a $b')], { ...DOCKER, env: { MODE: 'a $$b' } }],
  [
    'a variable set by the user',
    [named('-e', 'KEY={key}', { variables: { key: {} } })],
    { ...DOCKER, required_env: ['KEY'] },
  ],
  [
    'a variable with a default',
    [named('--env', 'KIND={kind}', { variables: { kind: { default: 'sql' } } })],
    { ...DOCKER, env: { KIND: 'sql' } },
  ],
  [
    'a folder',
    [named('-v', '{folder}:/data:ro', { isRequired: true })],
    { ...DOCKER, volumes: { folder: { path: '/data', required: true } } },
  ],
  [
    'a mount',
    [
      named('--mount', 'type=bind,src={source_path},dst={target_path}', {
        isRequired: true,
        variables: { source_path: { isRequired: true }, target_path: { default: '/project' } },
      }),
    ],
    { ...DOCKER, volumes: { source_path: { path: '/project', required: true } } },
  ],
  [
    'a folder on another machine',
    [named('-v', '/var/run/docker.sock:/var/run/docker.sock', { isRequired: true })],
    [
      'its package requires docker options that are not supported: -v=/var/run/docker.sock:/var/run/docker.sock.',
    ],
  ],
  [
    'options that could change what runs',
    [named('--privileged'), named('-p', '80:80'), named('--network', 'none')],
    {
      ...DOCKER,
      notes: [
        'Warning: the registry lists docker options for x that are not used: --privileged -p=80:80 --network=none',
      ],
    },
  ],
])('arguments of docker: %s', (_, options, expected) => {
  expect(add('oci', 'a/x', options)).toEqual(expected);
});

test('values are required only for the chosen package', () => {
  const value = {
    name: 'com.example/x',
    version: '1.0.0',
    packages: [
      { registryType: 'npm', identifier: 'x', environmentVariables: [{ name: 'KEY', isRequired: true }] },
      { registryType: 'oci', identifier: 'a/x', runtimeArguments: [named('-e', 'TOKEN={token}')] },
    ],
  };
  const [entry] = readEntries(officialFormat, [{ id: 'x', value }], 'test').entries;
  const tables = ['npx', 'docker'].map(
    (runtime) => entry && serverFromEntry(entry, { ...QUERY, runtime }).table,
  );
  expect(tables).toEqual([
    { package: 'npx::x@1.0.0', required_env: ['KEY'] },
    { package: 'docker::a/x@1.0.0', required_env: ['TOKEN'] },
  ]);
});

test('variables that have a value in the registry are set to it', () => {
  const environmentVariables = [
    { name: 'MODE', value: 'mcp' },
    { name: 'KEY', value: '{key}', isRequired: true },
    { name: 'LEVEL', default: 'info' },
  ];
  expect(add('npm', '@a/x', [], { environmentVariables })).toEqual({
    ...NPX,
    required_env: ['KEY'],
    env: { MODE: 'mcp' },
  });
});

test.each(['NPM_CONFIG_REGISTRY', 'uv_index_url', 'NODE_OPTIONS', 'LD_PRELOAD', 'PYTHONPATH', 'PATH'])(
  'a registry cannot set %s, which would change the program that runs',
  (name) => {
    const environmentVariables = [{ name, value: 'https://evil.example' }];
    const notes = [
      `Warning: the registry lists npx options for x that are not used: ${name}=https://evil.example`,
    ];
    expect(add('npm', '@a/x', [], { environmentVariables })).toEqual({ ...NPX, notes });
    expect(add('oci', 'a/x', [named('-e', `${name}=evil`)])).toMatchObject({
      notes: [expect.stringContaining(`-e=${name}=evil`)],
    });
  },
);

test('an mcpm file with unsupported options is skipped with a reason that names them', () => {
  const reasons = (command: string, args: string[]) =>
    readEntries(
      catalogFormat,
      [{ id: 'x', value: { installations: { one: { command, args } } } }],
      'test',
    ).skipped.map(({ reason }) => reason);
  expect(reasons('docker', ['run', '-i', '--privileged', '-v', '/:/host', 'a/x'])).toEqual([
    'its installation for one has options that are not supported: --privileged, -v /:/host.',
  ]);
  expect(reasons('npx', ['-y'])).toEqual(['its installation for one names no package.']);
  expect(reasons('uvx', ['--from', 'x', '--with', 'mcp<2', 'x-mcp'])).toEqual([]);
});
