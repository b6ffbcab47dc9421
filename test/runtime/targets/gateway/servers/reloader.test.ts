import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LoadedGatewayConfig } from '#gateway/config/read-config.ts';
import { createGatewayReloader } from '#gateway/servers/reloader.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { readWithEnv } from '../config/read.ts';
import { manualClock } from '../manual-clock.ts';

const folder = useTempFolder();
const LAB = JSON.stringify({ providers: { lab: { type: 'ollama' } } });

async function start(flags?: readonly string[]) {
  const file = join(folder(), 'gateway.yml');
  const write = (text: string): void => writeFileSync(file, text, { mode: 0o600 });
  write(LAB);
  const clock = manualClock();
  const read = (): Promise<LoadedGatewayConfig> =>
    readWithEnv({ flags: flags ?? ['-c', file], env: { GROQ_API_KEY: 'g-key' } });
  const applied: string[][] = [];
  const reloader = createGatewayReloader({
    config: await read(),
    read,
    apply: (config) => {
      applied.push(config.models.providers.map(({ name }) => name));
      return Promise.resolve();
    },
    log: testKernel().log,
    clock,
  });
  return { reloader, clock, write, applied, remove: () => rmSync(file) };
}

test('a file that is being written is not treated as empty', async () => {
  const { reloader, clock, write, applied } = await start();
  write('');
  const reloading = reloader.reload();
  await clock.nextIn(200);
  write(LAB);
  clock.advance(200);
  await reloading;
  expect(applied).toEqual([['lab']]);
});

test('a file that is still empty after a pause is applied', async () => {
  const { reloader, clock, write, applied } = await start();
  write('');
  const reloading = reloader.reload();
  await clock.nextIn(200);
  clock.advance(200);
  await reloading;
  expect(applied).toEqual([[]]);
});

describe('the default configuration file', () => {
  const before = process.cwd();
  beforeEach(() => process.chdir(folder()));
  afterEach(() => process.chdir(before));

  test('deleting the default file has no effect', async () => {
    const { reloader, clock, write, remove, applied } = await start([]);
    remove();
    const reloading = reloader.reload().catch(String);
    await clock.nextIn(200);
    clock.advance(200);
    expect(await reloading).toMatch(/gateway\.yml no longer exists\. Restore it, or restart the gateway/);
    expect(applied).toEqual([]);
    write(LAB);
    await reloader.reload();
    expect(applied).toEqual([['lab']]);
  });

  test('the default file can disappear briefly while it is written', async () => {
    const { reloader, clock, write, remove, applied } = await start([]);
    remove();
    const reloading = reloader.reload();
    await clock.nextIn(200);
    write(LAB);
    clock.advance(200);
    await reloading;
    expect(applied).toEqual([['lab']]);
  });
});
