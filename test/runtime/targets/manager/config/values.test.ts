import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskArgs } from '#manager/config/mask-values.ts';
import { problemsOf, processOf, resolve } from './resolve.ts';

const ONE = '[[servers]]\nname = "time"\ncommand = "x"\ntools = ["*"]\n';

test('references to values of other servers or of the manager are rejected', () => {
  const secrets =
    '[servers.time.env]\nA = "${MCPD__OTHER__KEY}"\nB = "$MCPD_API"\nC = "$(MCPD__X__Y)"\nD = "${MCPD__TIME__D}"\nE = "$$MCPD__OTHER__KEY"\n';
  const env = { MCPD__OTHER__KEY: 'x', MCPD_API: 'x', MCPD__TIME__D: 'd' };
  expect(problemsOf({ servers: ONE, secrets, env })).toEqual([
    'secrets.toml:2: server "time": env.A: MCPD__OTHER__KEY is reserved for another server or for the manager. Use another variable.',
    expect.stringMatching(/^secrets.toml:3: .*: env.B: MCPD_API is reserved/),
    expect.stringMatching(/^secrets.toml:4: .*: env.C: MCPD__X__Y is reserved/),
  ]);
});

test('two servers cannot have the same variable prefix', () => {
  const servers = ['a-b', 'a_b']
    .map((name) => `[[servers]]\nname = "${name}"\ncommand = "x"\ntools = ["*"]\n`)
    .join('');
  expect(problemsOf({ servers })).toEqual([
    '.mcpd.toml:6: servers "a-b" and "a_b" have the same variable prefix MCPD__A_B__. Rename one of them.',
  ]);
});

test('an unset variable is reported with server, key and variable, and values are expanded only once', () => {
  const secrets = '[servers.time]\nargs = [\n  "a",\n  "$NONE",\n]\n[servers.time.env]\nA = "$TWICE"\n';
  expect(problemsOf({ servers: ONE, secrets, env: { TWICE: '$NONE' } })).toEqual([
    'secrets.toml:2: server "time": args.1: the variable NONE is not set. Set it, or write ${NONE:-default}. Write $$ for a literal dollar sign.',
  ]);
  const { servers } = resolve({
    servers: ONE,
    secrets: '[servers.time.env]\nA = "$TWICE"\n',
    env: { TWICE: '$NONE' },
  });
  expect(processOf(servers[0]).env).toEqual({ A: '$NONE' });
});

test('a server with invalid values can be kept as an unusable server, and any other problem is an error', () => {
  const servers = `${ONE}env = { A = "$NONE", B = "$NONE" }\nrequired_env = ["C"]\n${ONE.replace('time', 'other')}`;
  const { problems, servers: specs } = resolve({ servers, keepsUnusable: true });
  expect(specs.map(({ name, launch }) => [name, launch.kind])).toEqual([
    ['time', 'unusable'],
    ['other', 'process'],
  ]);
  expect(specs[0]?.launch).toEqual({
    kind: 'unusable',
    problem: expect.stringMatching(
      /^env\.A: the variable NONE is not set\. .* env\.B: the variable NONE is not set\. .* server "time" requires the variable C\. /,
    ),
  });
  expect(problems).toEqual([
    expect.stringMatching(/^\.mcpd\.toml:5: server "time": env\.A: the variable NONE is not set\./),
    expect.stringMatching(/^\.mcpd\.toml:5: server "time": env\.B: /),
    expect.stringMatching(/^\.mcpd\.toml:6: server "time" requires the variable C\./),
  ]);
  expect(() => resolve({ servers: `${servers}toolz = []\n`, keepsUnusable: true })).toThrow(/toolz/);
});

test('a value with escaped dollar signs reaches the server unchanged', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !text.includes('\0')),
      (value) => {
        const written = JSON.stringify(value.replaceAll('$', '$$$$')).replaceAll('\x7F', String.raw`\u007f`);
        const { servers } = resolve({ servers: ONE, secrets: `[servers.time.env]\nA = ${written}\n` });
        expect(processOf(servers[0]).env['A']).toBe(value);
      },
    ),
    { numRuns: 300 },
  );
});

test("command-line timeouts override [daemon], and a server's own timeouts override both", () => {
  const servers = `${ONE}timeout_init = "3s"\n[daemon.mcp.timeout]\ninit = "9s"\nrequest = "9s"\n`;
  const [server] = resolve({ servers, timeouts: { init: 1, request: 2 } }).servers;
  expect(server?.timeouts).toEqual({ install: 600_000, init: 3000, request: 2, shutdown: 5000 });
});

test('values are treated as secrets because of their names or lengths, but not if they are folders, settings or common variables', () => {
  const { secrets } = resolve({
    servers:
      '[[servers]]\nname = "a"\ncommand = "x"\nargs = ["$HOME/x", "--key=$KEY", "in-public", "--api-key", "k-2", "$MODE"]\nenv = { P = "in-public", PASSWORD = "p-3" }\ntools = ["*"]\n',
    secrets:
      '[servers.a]\nargs = ["/some/folder", "--token=tok-1", "an-operand", "main"]\n[servers.a.env]\nS = "written-here"\nD = "true"\nT = "stdio"\nPORT = "2000"\nTOKEN_URL = "url-4"\nAPI_TOKEN = "abc"\n',
    env: { HOME: '/home/me', KEY: 'key-1', MODE: 'stdio' },
  });
  const named = (isNamed: boolean) =>
    secrets
      .filter((secret) => secret.isNamed === isNamed && secret.owner === 'a')
      .map(({ value }) => value)
      .toSorted();
  expect(named(true)).toEqual(['abc', 'k-2', 'key-1', 'p-3', 'tok-1']);
  expect(named(false)).toEqual(['an-operand', 'written-here']);
});

test('values for unknown servers in the secrets file cause a single note instead of a warning', () => {
  const noted = (...names: string[]) =>
    resolve({
      servers: ONE,
      secrets: names
        .map((name) => `[servers.${name}.env]\nA = "${name === 'time' ? 'set' : '$NONE'}"\n`)
        .join(''),
    });
  expect(noted('tine')).toMatchObject({
    notes: [
      'secrets.toml:1: these servers have values here, but are not configured: "tine". Did you mean "time" instead of "tine"?',
    ],
    warnings: [],
  });
  expect(noted('time').notes).toEqual([]);
  expect(noted('one', 'two', 'three', 'four', 'fifth', 'sixth', 'seven')).toMatchObject({
    notes: [
      'secrets.toml:1: these servers have values here, but are not configured: "one", "two", "three", "four", "fifth" and 2 more.',
    ],
    warnings: [],
  });
});

test('an unknown top-level key causes a warning', () => {
  expect(resolve({ servers: `${ONE}[future]\nx = 1\n` }).warnings).toEqual([
    '.mcpd.toml:5: unknown key "future" is ignored.',
  ]);
});

test('printed lists hide secrets inside headers, variables and URLs', () => {
  const args = [
    '--header',
    'Authorization: Bearer abc',
    '-e',
    'API_KEY=abc',
    '--env=MY_TOKEN=abc',
    'postgres://me:p@ss@db.example/x',
    'https://x.example/mcp?key=abc&zone=${ZONE}#top',
    'X-Api-Key:${KEY}',
    'NODE_ENV=production',
    'C:\\keys',
  ];
  expect(maskArgs(args)).toEqual([
    '--header',
    'Authorization: ***',
    '-e',
    'API_KEY=***',
    '--env=MY_TOKEN=***',
    'postgres://***@db.example/x',
    'https://x.example/mcp?key=***&zone=${ZONE}#top',
    'X-Api-Key:${KEY}',
    'NODE_ENV=production',
    'C:\\keys',
  ]);
});
