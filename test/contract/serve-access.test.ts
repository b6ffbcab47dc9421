import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { grpcCodeOf } from './clients.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { useServers } from './started-servers.ts';
import { verifiesOnce } from './verifies.ts';
import { builtExecutable } from '../helpers/built.ts';

const folder = useTempFolder();
const { serve, endAfterTest } = useServers();

const predict = (
  url: string,
  inputs: readonly string[],
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ inputs }),
  });

const OPEN = (protocols: string): string =>
  `No API key is set, so anyone who can reach this machine over the network can use this model over ${protocols}.`;

verifiesOnce('serve:exposed', async () => {
  const exposed = await serve({ args: ['--grpc-hostname', '[::]'] });
  await expect.poll(exposed.stderr).toContain(`"msg":"${OPEN('gRPC')}`);
  const [banner = ''] = exposed.stderr().split('{');
  expect(banner).toContain(`
  ${OPEN('gRPC')}
  To accept local requests only:  --local, or ENCODERFILE_HTTP_HOSTNAME=127.0.0.1
  To require an API key:          ENCODERFILE_API_KEY, or --api-key-file
`);
  const env = { ENCODERFILE_HTTP_PORT: '0', ENCODERFILE_GRPC_PORT: '0', ENCODERFILE_LOG_LEVEL: 'silent' };
  const started = startExecutable(builtExecutable('sentiment'), ['serve'], env);
  endAfterTest(started);
  await started.said(new RegExp(OPEN('HTTP, MCP and gRPC')));
  expect(started.stderr()).toMatch(/^ {2}HTTP {2}http:\/\/0\.0\.0\.0:\d+$/m);
  expect(started.stderr()).toMatch(/^ {2}gRPC {2}\[::\]:\d+$/m);
  for (const args of [[], ['--api-key', 'k', '--grpc-hostname', '[::]']]) {
    const { stderr } = await serve({ args });
    await expect.poll(stderr).toContain('"msg":"serving"');
    expect(stderr()).not.toContain('Anyone');
  }
});

verifiesOnce('serve:local', async () => {
  const other = networkAddress();
  for (const [args, env] of [
    [['--local'], {}],
    [[], { ENCODERFILE_HTTP_HOSTNAME: '127.0.0.1' }],
  ] as const) {
    const ports = { ENCODERFILE_HTTP_PORT: '0', ENCODERFILE_GRPC_PORT: '0' };
    const started = startExecutable(builtExecutable('sentiment'), ['serve', ...args], { ...ports, ...env });
    endAfterTest(started);
    const text = await started.said(/"msg":"serving"/);
    for (const port of [portIn(text, 'HTTP'), portIn(text, 'gRPC')]) {
      expect(await canConnect('127.0.0.1', port)).toBe(true);
      if (other !== undefined) expect(await canConnect(other, port)).toBe(false);
      expect(await canConnect('::1', port)).toBe(false);
    }
    expect(text).not.toContain('Anyone');
  }
});

/** A non-loopback address of this machine; undefined if there is none. */
const networkAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const canConnect = async (host: string, port: number): Promise<boolean> => {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

verifiesOnce('serve:api-key-file', async () => {
  const file = join(folder(), 'keys');
  writeFileSync(file, 'first\nsecond\n');
  const { url, grpcPort } = await serve({ env: { ENCODERFILE_API_KEY_FILE: file } });
  expect((await predict(url, ['a'])).status).toBe(401);
  expect((await predict(url, ['a'], { authorization: 'Bearer second' })).status).toBe(200);
  expect((await fetch(`${url}/mcp`, { method: 'POST' })).status).toBe(401);
  expect(await grpcCodeOf(grpcPort, ['a'])).toBe(16);
});

verifiesOnce('serve:api-key', async () => {
  const { url } = await serve({ env: { ENCODERFILE_API_KEY: 'first, second' } });
  expect((await predict(url, ['a'])).status).toBe(401);
  expect((await predict(url, ['a'], { authorization: 'Bearer third' })).status).toBe(401);
  expect((await predict(url, ['a'], { authorization: 'Bearer second' })).status).toBe(200);
  for (const open of ['/health', '/healthz', '/readyz']) expect((await fetch(url + open)).status).toBe(200);
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  expect((await fetch(`${url}/mcp`, { method: 'POST' })).status).toBe(401);
});
