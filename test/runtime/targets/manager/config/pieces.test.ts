import { expect, test } from 'vitest';
import { childEnvironment } from '#manager/config/child-environment.ts';
import { parseDuration } from '#core/time/duration.ts';
import { maskArgs, maskValue } from '#manager/config/mask-values.ts';
import { packageCommand, parsePackage } from '#manager/config/package-launch.ts';
import { missingArgs } from '#manager/config/required-args.ts';
import { nameProblem, usableName, variablePrefix } from '#manager/config/server-name.ts';

test.each([
  [15, 15_000],
  ['15', 15_000],
  ['0.5', 500],
  ['500ms', 500],
  ['1m30s', 90_000],
  ['1h', 3_600_000],
  ['1.5s', 1500],
  ['250µs', 0.25],
  ['0', undefined],
  [-1, undefined],
  ['0s', undefined],
  ['s', undefined],
  ['1d', undefined],
  ['1 m', undefined],
  ['', undefined],
  ['1000h', undefined],
])('the duration %j is %j ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(['time', 'Time', ' time ', 'a', 'mcp-discord', 'a.b', 'x_y', 'a--b', '3d'])(
  '%j is a valid name',
  (name) => {
    expect(nameProblem(name)).toBeUndefined();
  },
);

test.each([
  ['a__b', 'a_b'],
  ['a/b', 'a-b'],
  ['_a', 'a'],
  ['a_', 'a'],
  ['My Server', 'my-server'],
  ['@scope/pkg', 'scope-pkg'],
  ['a-_b', 'a_b'],
  ['x'.repeat(65), 'x'.repeat(64)],
  ['é', undefined],
])('%j is an invalid name, and %j is suggested instead', (name, usable) => {
  expect(nameProblem(name)).toContain('invalid server name');
  expect(usableName(name)).toBe(usable);
  expect(nameProblem(usable ?? 'usable')).toBeUndefined();
});

test("the names of a server's variables start with a prefix that contains the server's name", () => {
  expect(variablePrefix('duckduckgo-mcp')).toBe('MCPD__DUCKDUCKGO_MCP__');
});

test.each([
  ['npx::@scope/server@1.2.3', ['npx', '-y', '@scope/server@1.2.3']],
  ['uvx::mcp-server-time@2025.8.4', ['uvx', 'mcp-server-time@2025.8.4']],
  [
    'docker::mcp/time@1.0',
    [
      'docker',
      'run',
      '-i',
      '--rm',
      '--network',
      'host',
      '--memory',
      '536870912',
      '--memory-swap',
      '536870912',
      '--cpus',
      '1.5',
      '--pids-limit',
      '64',
      '--volume',
      '/repos:/workspace',
      '-e',
      'K',
      'mcp/time:1.0',
    ],
  ],
])('builds the command for %s', (text, expected) => {
  const found = parsePackage(text);
  if (typeof found === 'string') throw new Error(found);
  const options = {
    env: { K: 'v w' },
    volumes: [{ from: '/repos', path: '/workspace' }],
    limits: { memory: 2 ** 29, cpus: 1.5, processes: 64 },
  };
  const { command, args } = packageCommand(found, options);
  expect([command, ...args]).toEqual(expected);
});

test('a Docker image can be pinned by digest', () => {
  const found = parsePackage('docker::mcp/time@sha256:abc');
  if (typeof found === 'string') throw new Error(found);
  expect(packageCommand(found, { env: {}, volumes: [] }).args.at(-1)).toBe('mcp/time@sha256:abc');
});

test.each([
  ['npx::server', 'package "npx::server" has no version.'],
  ['pip::server@1', 'unknown package runtime "pip".'],
  ['server', 'invalid package "server". Use <npx|uvx|docker>::<name>@<version>'],
  ['npx::@1', 'invalid package "npx::@1"'],
  ['npx::a b@1', 'invalid package "npx::a b@1"'],
])('the package %s is rejected', (text, message) => {
  expect(parsePackage(text)).toContain(message);
});

test('a child process gets only the standard variables and the variables configured for it', () => {
  const env = {
    PATH: '/bin',
    HOME: '/h',
    LC_ALL: 'C',
    XDG_DATA_HOME: '/d',
    npm_config_registry: 'r',
    https_proxy: 'p',
    UV_INDEX: 'u',
    MCPD__TIME__KEY: 'own',
    MCPD__OTHER__KEY: 'no',
    MCPD_API_KEY: 'no',
    AWS_SECRET: 'no',
    MCP_MANAGER_API_KEY: 'no',
    SystemRoot: 'C:',
    UNSET: undefined,
  };
  const inherited = {
    PATH: '/bin',
    HOME: '/h',
    LC_ALL: 'C',
    XDG_DATA_HOME: '/d',
    npm_config_registry: 'r',
    https_proxy: 'p',
    UV_INDEX: 'u',
    MCPD__TIME__KEY: 'own',
  };
  expect(childEnvironment('time', { A: 'b' }, { env, platform: 'linux' })).toEqual({ ...inherited, A: 'b' });
  expect(childEnvironment('time', { HOME: '/x' }, { env, platform: 'win32' })).toEqual({
    ...inherited,
    HOME: '/x',
    SystemRoot: 'C:',
  });
});

test('on Windows, a variable of a server replaces the inherited one whose name differs only in case', () => {
  const options = { env: { Path: String.raw`C:\Windows`, TEMP: 't' }, platform: 'win32' };
  const own = { PATH: String.raw`C:\own`, temp: 'own' };
  expect(childEnvironment('time', own, options)).toEqual(own);
  expect(childEnvironment('time', own, { ...options, platform: 'linux' })).toEqual({
    ...own,
    Path: options.env.Path,
  });
});

test('required arguments are found in every form, and missing arguments are reported', () => {
  const required = { env: [], positional: ['dir', 'mode'], valued: ['--config', '-t'], flags: ['--verbose'] };
  expect(missingArgs(['--config=a', '-t', 'x', '--verbose', '/dir', 'fast'], required)).toEqual([]);
  expect(missingArgs(['--config', '/dir'], required)).toEqual(['-t', '--verbose', 'dir', 'mode']);
  expect(missingArgs(['--config=', '/dir', '--other=1'], required)).toEqual([
    '--config',
    '-t',
    '--verbose',
    'mode',
  ]);
});

test('printed lists hide values, but show placeholders', () => {
  expect(['x', '${A}', '$A', 'a$A', '${A:-secret}', ''].map((value) => maskValue(value))).toEqual([
    '***',
    '${A}',
    '$A',
    '***',
    '***',
    '',
  ]);
  expect(maskArgs(['--token=abc', '--port=1', '--api-key', 'abc', '/dir', '--auth=$A'])).toEqual([
    '--token=***',
    '--port=1',
    '--api-key',
    '***',
    '/dir',
    '--auth=$A',
  ]);
});
