import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hideArgs } from '../../../../../runtime/targets/manager/config/hide-values.ts';
import { problemsOf, processOf, resolve } from './resolve.ts';

const ONE = '[[servers]]\nname = "time"\ncommand = "x"\ntools = ["*"]\n';

test('D-6: values of other servers and of the manager are refused', () => {
  const secrets =
    '[servers.time.env]\nA = "${MCPD__OTHER__KEY}"\nB = "$MCPD_API"\nC = "$(MCPD__X__Y)"\nD = "${MCPD__TIME__D}"\nE = "$$MCPD__OTHER__KEY"\n';
  const env = { MCPD__OTHER__KEY: 'x', MCPD_API: 'x', MCPD__TIME__D: 'd' };
  expect(problemsOf({ servers: ONE, secrets, env })).toEqual([
    'secrets.toml:2: server "time": env.A: MCPD__OTHER__KEY belongs to another server, or to the manager itself. Give this one a variable of its own.',
    expect.stringMatching(/^secrets.toml:3: .*: env.B: MCPD_API belongs/),
    expect.stringMatching(/^secrets.toml:4: .*: env.C: MCPD__X__Y belongs/),
  ]);
});

test('D-6: no two servers share a prefix', () => {
  const servers = ['a-b', 'a_b']
    .map((name) => `[[servers]]\nname = "${name}"\ncommand = "x"\ntools = ["*"]\n`)
    .join('');
  expect(problemsOf({ servers })).toEqual([
    '.mcpd.toml:6: servers "a-b" and "a_b" would share the variables MCPD__A_B__…. Rename one.',
  ]);
});

test('D-21: a variable that is not set is told with server, key and variable, and nothing is expanded twice', () => {
  const secrets = '[servers.time]\nargs = [\n  "a",\n  "$NONE",\n]\n[servers.time.env]\nA = "$TWICE"\n';
  expect(problemsOf({ servers: ONE, secrets, env: { TWICE: '$NONE' } })).toEqual([
    'secrets.toml:2: server "time": args.1: the variable NONE is not set. Set it, or write ${NONE:-a default}. A dollar sign of its own is written $$.',
  ]);
  const { servers } = resolve({
    servers: ONE,
    secrets: '[servers.time.env]\nA = "$TWICE"\n',
    env: { TWICE: '$NONE' },
  });
  expect(processOf(servers[0]).env).toEqual({ A: '$NONE' });
});

test('any value that is written with its dollars escaped reaches the server as it was', () => {
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

test('times of the command line go before those of [daemon], and those of a server before both', () => {
  const servers = `${ONE}timeout_init = "3s"\n[daemon.mcp.timeout]\ninit = "9s"\nrequest = "9s"\n`;
  const [server] = resolve({ servers, timeouts: { init: 1, request: 2 } }).servers;
  expect(server?.timeouts).toEqual({ init: 3000, request: 2, shutdown: 5000 });
});

test('what is secret: placeholders and all of the secrets file; no folders, no settings, nothing every child has', () => {
  const { secrets } = resolve({
    servers:
      '[[servers]]\nname = "a"\ncommand = "x"\nargs = ["$HOME/x", "--key=$KEY", "public"]\nenv = { P = "public" }\ntools = ["*"]\n',
    secrets:
      '[servers.a]\nargs = ["/some/folder", "--token=tok-1", "operand"]\n[servers.a.env]\nS = "written"\nD = "true"\nT = "abc"\n',
    env: { HOME: '/home/me', KEY: 'key-1' },
  });
  expect(secrets.toSorted()).toEqual(['key-1', 'operand', 'tok-1', 'written']);
});

test('values for a server that is not there are a warning', () => {
  expect(resolve({ servers: ONE, secrets: '[servers.tine.env]\nA = "$NONE"\n' }).warnings).toEqual([
    'secrets.toml:1: there is no server "tine" that these values are for. Did you mean "time"?',
  ]);
  expect(resolve({ servers: `${ONE}[future]\nx = 1\n` }).warnings).toEqual([
    '.mcpd.toml:5: "future" is no part of this file and means nothing here.',
  ]);
});

test('lists hide what is secret inside a text: of headers, variables and addresses', () => {
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
  expect(hideArgs(args)).toEqual([
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
