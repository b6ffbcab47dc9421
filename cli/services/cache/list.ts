import { resolve } from 'node:path';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { listCached } from '../../packaging/base/cached.ts';
import { listExecutables, MAX_CACHED_BYTES } from '../../packaging/executables/executable-cache.ts';
import type { CacheListResult } from './result.ts';

/** `encoderfile cache list`: lists the executables that `try` and `run` built. */
export async function listCache(cacheFolder: string | undefined): Promise<CacheListResult> {
  const cacheDir = resolve(cacheFolder ?? defaultCacheDir());
  const executables = await listExecutables(cacheDir);
  const bases = await listCached(cacheDir);
  const sum = (files: readonly { readonly bytes: number }[]): number =>
    files.reduce((total, { bytes }) => total + bytes, 0);
  return {
    cacheDir,
    executables: executables.map(({ lastUsed, ...others }) => ({
      ...others,
      lastUsed: new Date(lastUsed).toISOString(),
    })),
    bytes: sum(executables),
    maxBytes: MAX_CACHED_BYTES,
    baseBytes: sum(bases),
  };
}
