import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessLaunch } from '#manager/config/spec.ts';
import { ROOT } from '#test/helpers/paths.ts';
import { openRecorded, PATIENCE, textOf } from './open-recorded.ts';
import { remoteLaunch } from './remote-fixture.ts';
import { specOf } from './spec.ts';

const program = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const EVERYTHING: ProcessLaunch = {
  kind: 'process',
  command: process.execPath,
  args: [program],
  env: { HELLO: 'world' },
};

test('every operation works with server-everything', async () => {
  const { connection, text } = await openRecorded(specOf(EVERYTHING));
  const ask: typeof connection.request = (...request) => connection.request(...request);
  expect(connection.peer.protocolVersion).toBe('2025-11-25');
  expect(await connection.check(20_000)).toBeGreaterThan(0);
  expect((await ask('tools/list', {}, PATIENCE))['tools']).not.toHaveLength(0);
  expect(await text('echo', { message: 'hello' })).toBe('Echo: hello');
  expect(JSON.parse(await text('get-env'))).toEqual({ HELLO: 'world' });

  const { prompts } = await ask('prompts/list', {}, PATIENCE);
  expect(prompts).not.toHaveLength(0);
  const prompt = await ask('prompts/get', { name: 'simple-prompt' }, PATIENCE);
  expect(prompt['messages']).toHaveLength(1);

  const { resources } = await ask('resources/list', {}, PATIENCE);
  const [{ uri }] = resources as [{ uri: string }];
  expect((await ask('resources/read', { uri }, PATIENCE))['contents']).toHaveLength(1);
  const { resourceTemplates } = await ask('resources/templates/list', {}, PATIENCE);
  expect(resourceTemplates).not.toHaveLength(0);

  let reports = 0;
  const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } };
  const done = await ask('tools/call', long, { ...PATIENCE, onProgress: () => (reports += 1) });
  expect(textOf(done)).toContain('completed');
  expect(reports).toBe(2);
});

test('every operation works with server-everything over HTTP', async () => {
  const port = await freePort();
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stderr, 'data');
  child.stderr.resume();
  const url = `http://127.0.0.1:${port}/mcp`;
  const { text, connection } = await openRecorded(specOf(remoteLaunch(url)));
  expect(await text('echo', { message: 'hello' })).toBe('Echo: hello');
  expect(await connection.check(20_000)).toBeGreaterThan(0);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
