import { resolve } from 'node:path';
import { ownVersion } from '../../adapters/own-files.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { isUsedByBuilds } from '../../packaging/base/provide-base.ts';
import { listCached } from '../../packaging/base/cached.ts';
import type { BaseListResult, ListedFile } from './result.ts';

/** `encoderfile base list`: lists the files in the cache, and whether builds use them. */
export async function listBases(cacheFolder: string | undefined): Promise<BaseListResult> {
  const cacheDir = resolve(cacheFolder ?? defaultCacheDir());
  const files: ListedFile[] = [];
  for (const { kind, version, platform, bytes, path } of await listCached(cacheDir)) {
    const current =
      kind === 'base' && version === ownVersion() && (await isUsedByBuilds(path, platform, cacheDir));
    files.push({ kind, platform: platform.triple, version, bytes, current, path });
  }
  return {
    cacheDir,
    bases: files.filter(({ kind }) => kind === 'base'),
    nodeBinaries: files.filter(({ kind }) => kind === 'node'),
  };
}
