import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { inNamespace, namespacesWork } from '#test/helpers/namespace.ts';
import type { ServedFile } from './file-gateway.ts';
import { encoder, gatewayFile, useNode } from './use-node.ts';

const node = useNode();

test('the least recently used executables are deleted, except those in use', async () => {
  const [used, old, recent, fresh] = ['used', 'old', 'recent', 'fresh'].map((name) => encoder(name)) as [
    ServedFile,
    ServedFile,
    ServedFile,
    ServedFile,
  ];
  const end = node.path('end');
  const busy = node.start((await node.serve(gatewayFile, used)).url, { end });
  while (!existsSync(node.cached(used))) await sleep(20);
  for (const file of [recent, old]) await node.start((await node.serve(gatewayFile, file)).url);
  const age = (file: ServedFile, seconds: number): void => {
    const at = Date.now() / 1000 - seconds;
    utimesSync(node.cached(file), at, at);
  };
  age(used, 300);
  age(old, 200);
  age(recent, 100);
  writeFileSync(join(node.executables(), 'notes.txt'), 'another file');
  const limit = { cacheBytes: 650_000 };
  await node.start((await node.serve(gatewayFile, fresh)).url, limit);
  expect([used, old, recent, fresh].map((file) => existsSync(node.cached(file)))).toEqual([
    true,
    false,
    true,
    true,
  ]);
  // Using a file counts as well.
  age(fresh, 400);
  await node.start((await node.serve(gatewayFile, recent)).url, limit);
  expect(statSync(node.cached(recent)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
  writeFileSync(end, '');
  await busy;
  age(used, 300);
  await node.start((await node.serve(gatewayFile, old)).url, limit);
  expect([used, old, recent, fresh].map((file) => existsSync(node.cached(file)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(existsSync(join(node.executables(), 'notes.txt'))).toBe(true);
});

describe.skipIf(!namespacesWork())('unwritable caches', () => {
  const inMount = async (mount: string, url: string) => {
    const { entrypoint, env } = node.launch(url);
    return await inNamespace(`${mount}\n${entrypoint}`, { network: true, env });
  };

  test('a full disk is reported with sizes after unused files are deleted', async () => {
    const cache = node.cache();
    mkdirSync(cache);
    const big = encoder('big', randomBytes(900_000), { path: '/models/big.encoder' });
    const gateway = await node.serve(gatewayFile, big);
    const { exitCode, stderr } = await inMount(`mount -t tmpfs -o size=400k tmpfs '${cache}'`, gateway.url);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The node \S+ has no folder for `\/models\/big.encoder` \(0\.9 MB\)\. Free space, or set ENCODERFILE_CACHE_DIR .* Tried: \S+: 0\.4 MB are free\.$/,
    );
    expect(gateway.ranges).toEqual([]);

    // An unused file is deleted to make room.
    const script = `mount -t tmpfs -o size=1200k tmpfs '${cache}'\nmkdir '${node.executables()}'\nhead -c 600000 /dev/zero > '${join(node.executables(), '0'.repeat(64))}'`;
    expect(await inMount(script, gateway.url)).toMatchObject({ exitCode: 0 });
  });

  test('a read-only cache is used if it contains the files, and reported otherwise', async () => {
    const cache = node.cache();
    const a = encoder('a', undefined, { path: '/models/a.encoder' });
    await node.start((await node.serve(gatewayFile, a)).url);
    const mount = `mount --bind '${cache}' '${cache}'\nmount -o remount,ro,bind '${cache}'`;
    expect(await inMount(mount, (await node.serve(gatewayFile, a)).url)).toMatchObject({ exitCode: 0 });
    const b = encoder('b', undefined, { path: '/models/b.encoder' });
    const { exitCode, stderr } = await inMount(mount, (await node.serve(gatewayFile, b)).url);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Tried: ');
    expect(stderr).toContain('Read-only file system.');
  });
});
