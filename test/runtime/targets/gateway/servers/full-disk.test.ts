import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ROOT } from '#test/helpers/paths.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { startFixture } from '../fixture-provider.ts';
import { chatBody } from '../test-provider.ts';

const openai = await startFixture('openai');
const folder = useTempFolder();
const MASTER_KEY = 'the-master-key-of-these-tests-0123456789';
const PROGRAM = join(ROOT, 'runtime/targets/gateway/main.ts');
/** A gateway on its own small disk, which no other process uses. */
const SCRIPT = 'mount -t tmpfs -o size=2m none "$1" && shift && exec "$@"';
const alone = (...command: string[]): string[] => ['-rm', 'sh', '-c', SCRIPT, 'sh', ...command];
const canMount = spawnSync('unshare', alone('/mnt', 'true')).status === 0;

let gateway: ChildProcess | undefined;
afterEach(async () => {
  if (gateway?.exitCode !== null) return;
  gateway.kill('SIGTERM');
  await once(gateway, 'close');
});

test.skipIf(!canMount)(
  'with a full disk, the gateway is not ready and rejects requests until there is space',
  async () => {
    // Given
    const providers = { openai: { api_base: `${openai.url}/v1`, api_key: 'k', local: true } };
    const config = join(folder(), 'gateway.yml');
    writeFileSync(config, JSON.stringify({ providers, port: 0 }), { mode: 0o600 });
    const disk = join(folder(), 'disk');
    mkdirSync(disk);
    const args = alone(
      disk,
      process.execPath,
      PROGRAM,
      'serve',
      '-c',
      config,
      '--data-dir',
      join(disk, 'data'),
    );
    gateway = spawn('unshare', [...args, '--no-watch'], {
      env: { ...process.env, GATEWAY_MASTER_KEY: MASTER_KEY },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    gateway.stderr?.on('data', (chunk) => (log += String(chunk)));
    await expect.poll(() => log).toContain('"serving"');
    const url = /HTTP +(\S+)/.exec(log)?.[1] ?? '';
    const ask = async (path: string, body?: object): Promise<number> => {
      const headers = { 'x-gateway-key': `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' };
      const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
      return (await fetch(url + path, init)).status;
    };
    const chat = () => ask('/v1/chat/completions', chatBody('openai:good', { user: 'ada' }));
    expect(await ask('/v1/users', { user_id: 'ada' })).toBe(200);
    expect([await ask('/readyz'), await ask('/health/readiness'), await chat()]).toEqual([200, 200, 200]);
    // When
    const seen = join(`/proc/${gateway.pid}/root`, disk);
    const ballast = join(seen, 'ballast');
    const { bavail, bsize } = statfsSync(seen);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    // Then
    await expect.poll(() => ask('/health/readiness')).toBe(503);
    expect(await ask('/readyz')).toBe(503);
    // The first request discovers it.
    expect([await chat(), await chat()]).toEqual([503, 503]);
    const { good } = await openai.counts();
    expect(await chat()).toBe(503);
    expect((await openai.counts())['good']).toBe(good);
    expect(log).toContain('the disk is full. Free some space.');
    // When
    rmSync(ballast);
    // Then
    await expect.poll(() => ask('/health/readiness')).toBe(200);
    expect(await chat()).toBe(200);
  },
);
