import { once } from 'node:events';
import { closeSync, copyFileSync, openSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { expect } from 'vitest';
import { TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { ANY_PORTS } from './serving.ts';
import { useServers } from './started-servers.ts';
import { verifiesOnce } from './verifies.ts';
import { builtExecutable } from '../helpers/built.ts';

const folder = useTempFolder();
const { serve } = useServers();

const predict = async (url: string): Promise<number> => {
  const answer = await fetch(`${url}/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"inputs":["I love this"]}',
  });
  await answer.bytes();
  return answer.status;
};

verifiesOnce('serve:log-not-read', async () => {
  const { child, url, ended } = await serve();
  child.stderr?.removeAllListeners('data').pause();
  // The buffers of a pipe and this process are much smaller than the log of so many requests.
  for (let asked = 0; asked < 4000; asked += 1) {
    const { status } = await fetch(`${url}/model`).then(async (answer) => {
      await answer.bytes();
      return answer;
    });
    if (status !== 200) expect.unreachable(`request ${asked}: ${status}`);
  }
  expect(await predict(url)).toBe(200);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
  child.stderr?.resume();
  await ended;
});

verifiesOnce('serve:log-reader-gone', async () => {
  const { child, url, ended } = await serve();
  child.stderr?.destroy();
  for (let asked = 0; asked < 10; asked += 1) expect(await predict(url)).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

verifiesOnce('serve:log-disk-full', async () => {
  // A server prints its port to its log.
  const port = String(await freePort());
  const full = openSync('/dev/full', 'w');
  const args = ['serve', '--http-hostname', '127.0.0.1', '--http-port', port, '--grpc-port', '0'];
  const env = { ...process.env, ENCODERFILE_CACHE_DIR: TEST_CACHE };
  const child = spawn(builtExecutable('sentiment'), args, { stdio: ['ignore', 'ignore', full], env });
  closeSync(full);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  try {
    const url = `http://127.0.0.1:${port}`;
    await untilReady(url, () => child.exitCode);
    for (let asked = 0; asked < 10; asked += 1) expect(await predict(url)).toBe(200);
    child.kill('SIGTERM');
    expect((await exited)[0]).toBe(0);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function untilReady(url: string, exitCode: () => number | null): Promise<void> {
  while (exitCode() === null) {
    const ready = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await new Promise(setImmediate);
  }
  throw new Error(`it ended with ${exitCode()}`);
}

verifiesOnce('serve:hang-up', async () => {
  const { child, url, ended } = await serve();
  child.kill('SIGHUP');
  for (let asked = 0; asked < 10; asked += 1) expect(await predict(url)).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);

  // util-linux's `script` runs a command on a separate terminal.
  const command = `echo pid $$; exec '${builtExecutable('sentiment')}' serve ${ANY_PORTS.join(' ')}`;
  const terminal = spawn('/usr/bin/script', ['-qefc', command, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ENCODERFILE_CACHE_DIR: TEST_CACHE, SHELL: '/bin/sh' },
  });
  const exited = once(terminal, 'exit') as Promise<[number | null]>;
  let [screen, told] = ['', false];
  for await (const chunk of terminal.stdout.setEncoding('utf8')) {
    screen += String(chunk);
    if (told || !screen.includes('"msg":"serving"')) continue;
    told = process.kill(Number(/pid (\d+)/.exec(screen)?.[1]), 'SIGHUP');
  }
  expect(screen).toContain('"signal":"SIGHUP"');
  expect((await exited)[0]).toBe(0);
});

verifiesOnce('serve:no-debugger', async () => {
  const { child, url, ended, stderr } = await serve();
  child.kill('SIGUSR1');
  for (let asked = 0; asked < 10; asked += 1) expect(await predict(url)).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(stderr()).not.toContain('Debugger');
});

verifiesOnce('serve:removed', async () => {
  const [file, renamed] = [join(folder(), 'model.encoder'), join(folder(), 'other é.encoder')];
  copyFileSync(builtExecutable('sentiment'), file);
  const { child, url, ended } = await serve({ path: file });
  renameSync(file, renamed);
  expect(await predict(url)).toBe(200);
  rmSync(renamed);
  expect(await predict(url)).toBe(200);
  for (const path of ['/', '/docs', '/openapi.json', '/metrics', '/model'])
    expect((await fetch(url + path)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

verifiesOnce('mcp:http-options', async () => {
  for (const option of ['port', 'hostname', 'api-key', 'cert-file', 'cors-origins', 'allowed-hosts']) {
    const answer = await runExecutable(builtExecutable('sentiment'), ['mcp', `--${option}`, '9100']);
    expect(answer).toMatchObject({ exitCode: 2, stdout: '' });
    expect(answer.stderr.split('\n')[0]).toBe(
      `Error: --${option} requires --http. Add --http, or remove --${option} to serve on stdio.`,
    );
  }
  // Variables can be set for several commands.
  const env = { ENCODERFILE_MCP_PORT: '1', ENCODERFILE_API_KEY: 'key' };
  const answer = await runExecutable(builtExecutable('sentiment'), ['mcp'], { env, input: '' });
  expect(answer).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});

verifiesOnce('mcp:full-disk', async () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const script = `echo '${ping}' | '${builtExecutable('sentiment')}' mcp > /dev/full`;
  const answer = await runExecutable('/bin/sh', ['-c', script]);
  expect(answer.exitCode).toBe(1);
  expect(answer.stderr).toBe('Error: Cannot write to stdout: ENOSPC: no space left on device, write.\n');
});
