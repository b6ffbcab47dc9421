import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PLATFORMS, type Platform } from '#contract/platforms.ts';

/** A cached file that builds can reuse. */
export interface CachedFile {
  readonly kind: 'base' | 'node';
  /** The encoderfile version of a base runtime, or the Node version of a Node binary. */
  readonly version: string;
  readonly platform: Platform;
  readonly bytes: number;
  readonly path: string;
}

/** The name of a base runtime in the cache: its platform and the start of its key. */
export const BASE_NAME = /^(.+)-[0-9a-f]{16}(?:\.exe)?$/;

/** Lists the base runtimes and the downloaded Node binaries of a cache folder; other files are ignored. */
export async function listCached(cacheDir: string): Promise<CachedFile[]> {
  const files: CachedFile[] = [];
  for (const kind of ['base', 'node'] as const) {
    const folder = join(cacheDir, kind);
    for (const version of await names(folder)) {
      for (const name of await names(join(folder, version))) {
        const triple = kind === 'node' ? name : BASE_NAME.exec(name)?.[1];
        const platform = PLATFORMS.find((candidate) => candidate.triple === triple);
        const path = join(folder, version, name);
        const found = await stat(path).catch(() => undefined);
        if (platform && found?.isFile()) files.push({ kind, version, platform, bytes: found.size, path });
      }
    }
  }
  return files;
}

/** Removes a cached file, and the folder of its version if no other files remain in it. */
export async function removeCached({ path }: CachedFile): Promise<void> {
  for (const file of [path, `${path}.sha256`]) await rm(file, { force: true });
  if ((await names(dirname(path))).length === 0) await rm(dirname(path), { recursive: true, force: true });
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder).catch((): string[] => [])).sort();
}
