import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  cachedPath,
  cleanExecutables,
  listExecutables,
} from '#cli/packaging/executables/executable-cache.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();

/** Adds a file to the cache that was last used at this second. */
function add(key: string, bytes: number, usedAt: number): string {
  const path = cachedPath(folder(), key.repeat(16), `${key}.encoder`);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, Buffer.alloc(bytes));
  utimesSync(path, usedAt, usedAt);
  return path;
}

test('the least recently used executables are removed, and the kept one never', () => {
  const [a, b, c, d] = [add('a', 400, 1), add('b', 300, 4), add('c', 300, 3), add('d', 300, 2)];
  cleanExecutables(folder(), a, 1000);
  // The kept file counts, although it is the oldest one.
  expect([a, b, c, d].map(existsSync)).toEqual([true, true, true, false]);
  cleanExecutables(folder(), a, 10);
  expect([a, b, c].map(existsSync)).toEqual([true, false, false]);
});

test('damaged files are listed by their file names, and other files are not', async () => {
  const path = add('a', 10, 5);
  writeFileSync(join(folder(), 'executables', 'notes.encoder'), '');
  mkdirSync(join(folder(), 'executables', 'b'.repeat(16)));
  expect(await listExecutables(folder())).toEqual([
    { name: 'a', repository: undefined, bytes: 10, lastUsed: 5000, path },
  ]);
  expect(await listExecutables(join(folder(), 'missing'))).toEqual([]);
  await expect(listExecutables(path)).rejects.toThrow(/^Cannot read the cache .*Pass another --cache-dir\.$/);
});
