import { getRawAsset, isSea } from 'node:sea';
import { ASSET_NOTICES } from '../contract/native.ts';

/** The license notices of everything in this executable; undefined where the code runs from source. */
export async function readNotices(): Promise<string | undefined> {
  if (!isSea()) return undefined;
  // Starts do not need zlib, which takes a tenth of one to load.
  const { zstdDecompressSync } = await import('node:zlib');
  return zstdDecompressSync(new Uint8Array(getRawAsset(ASSET_NOTICES))).toString();
}
