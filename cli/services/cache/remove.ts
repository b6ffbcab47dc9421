import { resolve } from 'node:path';
import { configError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import {
  type CachedExecutable,
  listExecutables,
  removeExecutable,
} from '../../packaging/executables/executable-cache.ts';
import type { CacheRemoveResult } from './result.ts';

/** `encoderfile cache remove`: removes executables from the cache, all or those of the named models. */
export async function removeFromCache(
  names: readonly string[],
  cacheFolder: string | undefined,
): Promise<CacheRemoveResult> {
  const cacheDir = resolve(cacheFolder ?? defaultCacheDir());
  const cached = await listExecutables(cacheDir);
  for (const name of names) requireName(name, cached, cacheDir);
  const chosen = cached.filter((file) => names.length === 0 || names.some((name) => isNamed(file, name)));
  for (const { path } of chosen) {
    try {
      removeExecutable(path);
    } catch (error) {
      throw explainWriteError(path, error, 'Stop the process that runs it');
    }
  }
  return { cacheDir, removed: chosen.map(({ name, bytes, path }) => ({ name, bytes, path })) };
}

const isNamed = ({ name, repository }: CachedExecutable, wanted: string): boolean =>
  name === wanted || (repository !== undefined && [repository, `hf:${repository}`].includes(wanted));

function requireName(name: string, cached: readonly CachedExecutable[], cacheDir: string): void {
  if (cached.some((file) => isNamed(file, name))) return;
  const meant = didYouMean(name, [...new Set(cached.map((file) => file.name))]);
  throw configError(
    `No executable of a model ${JSON.stringify(name)} in the cache ${cacheDir}${meant || '.'} \`encoderfile cache list\` lists the names.`,
  );
}
