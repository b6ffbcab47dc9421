import { copyFileSync, chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const temp = useTempFolder();
const TARGET = { server: 'far', url: 'https://far.example/mcp' };
const count = (times: number) =>
  execa(process.execPath, [join(import.meta.dirname, 'store-process.ts'), temp(), String(times)], {
    reject: false,
  });
const access = (): string | undefined => openSignIns(temp(), { env: {} }).read(TARGET)?.tokens?.access;

test('two concurrent processes lose no changes, create a single key and leave no temporary files behind', async () => {
  await Promise.all([count(15), count(15)]);
  expect(access()).toBe('30');
  expect(readdirSync(temp()).map((name) => name.replace(/-.*/, ''))).toEqual(['far', 'key']);
});

test('after a process is killed, the stored sign-in is readable and not locked', async () => {
  await count(1);
  for (let kills = 0; kills < 3; kills += 1) {
    const running = count(100_000);
    for await (const _ of running.stdout) break;
    running.kill('SIGKILL');
    await running;
    expect(Number(access())).toBeGreaterThan(kills + 1);
  }
  const before = Number(access());
  await count(1);
  expect(access()).toBe(String(before + 1));
});

test('a copied or damaged sign-in file is rejected, and so is a key file that other users can read', async () => {
  await count(1);
  const store = openSignIns(temp(), { env: {} });
  const file = readdirSync(temp()).find((name) => name.startsWith('far')) ?? '';
  const other = { server: 'near', url: TARGET.url };
  copyFileSync(join(temp(), file), join(temp(), file.replace('far', 'near')));
  expect(() => store.read(other)).toThrow(/near-\w+\.json cannot be decrypted.*`mcp-manager login near`\.$/);
  writeFileSync(join(temp(), file), '{"salt": "x", "sealed": "y"}');
  expect(() => store.read(TARGET)).toThrow('cannot be decrypted');
  await count(0);
  chmodSync(join(temp(), 'key'), 0o644);
  expect(() => openSignIns(temp(), { env: {} }).read(other)).toThrow(
    /is readable by other users\. Restrict it with `chmod 600/,
  );
});
