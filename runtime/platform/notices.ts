import { getRawAsset, isSea } from 'node:sea';
import { ASSET_NOTICES } from '#contract/native.ts';

/** Reads the license notices of this executable; undefined when running from source. */
export async function readNotices(): Promise<string | undefined> {
  if (!isSea()) return undefined;
  // Imported on demand: a start does not need zlib, which takes a tenth of it to load.
  const { zstdDecompressSync } = await import('node:zlib');
  return zstdDecompressSync(new Uint8Array(getRawAsset(ASSET_NOTICES))).toString();
}
