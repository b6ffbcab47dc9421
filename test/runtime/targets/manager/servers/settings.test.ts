import { expect, test } from 'vitest';
import { UsageError } from '#serve/cli/command.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { daemonCommand } from '#manager/commands/daemon.ts';
import { type FlagSettings, readDaemonSettings } from '#manager/servers/settings.ts';

const read = (args: readonly string[], env: Record<string, string> = {}): FlagSettings =>
  readDaemonSettings(parseInvocation(daemonCommand, args, env), { HOME: '/h', ...env });

test('host and port are read from flags and variables', () => {
  expect(read([])).toMatchObject({ listen: {}, daemon: {} });
  expect(read(['--port', '9', '--host', '::1']).listen).toEqual({ hostname: '::1', port: 9 });
  expect(read([], { MCP_MANAGER_HOST: 'h', MCP_MANAGER_PORT: '9' }).listen).toEqual({
    hostname: 'h',
    port: 9,
  });
});

test('a flag for the whole address overrides the variables for host and port', () => {
  expect(read(['--addr', 'h:1'], { MCP_MANAGER_PORT: '9' })).toMatchObject({
    daemon: { addr: 'h:1' },
    listen: {},
  });
});

test.each([
  [['--addr', 'h:1', '--port', '9'], '--addr sets host and port and conflicts with --port; use one of them.'],
  [['--dev', '--port', '9'], '--dev listens on localhost:8090 and conflicts with --port; use one of them.'],
  [['--dev', '--addr', 'h:1'], '--dev listens on localhost:8090 and conflicts with --addr; use one of them.'],
  [['--port', 'x'], '--port: "x" is not a whole number from 0 to 65535.'],
  [['--cors-enable'], '--cors-enable requires --cors-origins.'],
])('the flags %j are rejected', (args, message) => {
  expect(() => read(args)).toThrow(new UsageError(message));
});

test('setting origins enables CORS, unless it is switched off', () => {
  const origins = ['https://a.example'];
  for (const args of [
    ['--cors-origins', 'https://a.example'],
    ['--cors-enable', '--cors-allow-origin', 'https://a.example'],
  ])
    expect(read(args).daemon.cors).toMatchObject({ origins });
  expect(read(['--cors-origins', 'https://a.example', '--cors-enable=false']).daemon).toEqual({});
});

test('durations are in seconds or have a unit', () => {
  expect(read(['--shutdown-timeout', '7']).daemon.shutdownMs).toBe(7000);
  expect(read(['--timeout-api-shutdown', '1m']).daemon.shutdownMs).toBe(60_000);
  expect(() => read(['--timeout-api-shutdown', '0'])).toThrow(/^--timeout-api-shutdown: "0" /);
});
