import { expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

const URL_OF_NOBODY = 'http://127.0.0.1:1';
const CLIENTS = [
  ['keys', 'me'],
  ['experiment', 'list'],
  ['invitations', 'list'],
];

test.each(
  CLIENTS.flatMap((words) =>
    ['gw-canary\nx', 'gw-cänary', ' gw-canary', '\n'].map((key) => [words, key] as const),
  ),
)('%j rejects the key %j without printing it', async (words, key) => {
  const asked = [...words, '--url', URL_OF_NOBODY];
  const told = await runCommand([...asked, '--api-key', key]);
  expect(told).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^Error: --api-key contains characters that are not allowed in headers/),
  });
  const { code, err } = await runCommand(asked, { GATEWAY_API_KEY: key });
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^Error: GATEWAY_API_KEY contains characters that are not allowed in headers/),
  ]);
  expect(told.err + err).not.toMatch(/c[aä]nary/);
});

test('a trailing line break in a key is ignored', async () => {
  const { code, err } = await runCommand(['keys', 'me', '--url', URL_OF_NOBODY, '--api-key', 'gw-canary\n']);
  expect([code, err]).toEqual([
    1,
    `Error: Cannot reach ${URL_OF_NOBODY}: connection refused. Start the gateway, or correct the address.\n`,
  ]);
});

test('an unreachable gateway is reported with a fix', async () => {
  const errorOf = async (url: string): Promise<string> =>
    (await runCommand(['keys', 'me', '--url', url, '--api-key', 'gw-canary'])).err;
  expect(await errorOf('http://127.0.0.1:47')).toContain('connection refused. Start the gateway');
  expect(await errorOf('http://nobody.invalid')).toMatch(/the host name (does not exist|cannot be resolved)/);
  const credentials = await errorOf('http://ada:s3cret@127.0.0.1:47');
  expect(credentials).toContain('--url contains credentials');
  expect(credentials).not.toContain('s3cret');
});

test('a worker does not print a token that cannot be sent', async () => {
  const env = { GATEWAY_JOB_TOKEN: 'canary\nx' };
  const { code, err } = await runCommand(['job', 'run', '--gateway-url', URL_OF_NOBODY], env);
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('GATEWAY_JOB_TOKEN contains characters that are not allowed in headers'),
  ]);
  expect(err).not.toContain('canary');
});
