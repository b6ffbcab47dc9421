import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_CACHE } from './paths.ts';

/** A cache folder without executables that shares the base runtimes of all tests. */
export function emptyExecutableCache(folder: string): string {
  const cache = join(folder, 'cache');
  mkdirSync(cache);
  for (const name of ['base', 'keys', 'node']) {
    mkdirSync(join(TEST_CACHE, name), { recursive: true });
    symlinkSync(join(TEST_CACHE, name), join(cache, name));
  }
  return cache;
}
