import { resolve } from 'node:path';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { listCached, removeCached } from '../../packaging/base/cached.ts';
import { parsePlatform } from '../../packaging/plan.ts';
import type { BaseRemoveResult } from './result.ts';

/** Selects the base runtimes to remove. An undefined criterion matches all base runtimes. */
export interface BaseRemoveRequest {
  readonly platform: string | undefined;
  readonly version: string | undefined;
  /** Whether to also remove downloaded Node binaries for other platforms. */
  readonly nodeBinaries: boolean;
  readonly cacheDir: string | undefined;
}

/**
 * `encoderfile base remove`: removes base runtimes to free disk space. Builds recreate the base
 * runtimes that they need.
 */
export async function removeBases(request: BaseRemoveRequest): Promise<BaseRemoveResult> {
  const cacheDir = resolve(request.cacheDir ?? defaultCacheDir());
  const triple = request.platform === undefined ? undefined : parsePlatform(request.platform).triple;
  const chosen = (await listCached(cacheDir)).filter(
    ({ kind, platform, version }) =>
      (kind === 'base' || request.nodeBinaries) &&
      platform.triple === (triple ?? platform.triple) &&
      version === (request.version ?? version),
  );
  for (const file of chosen) await removeCached(file);
  return {
    cacheDir,
    removed: chosen.map(({ kind, platform, version, bytes, path }) => ({
      kind,
      platform: platform.triple,
      version,
      bytes,
      path,
    })),
  };
}
