import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Compressors } from 'hyparquet';

/** Decompressors that stop at the size that the header of a page promises. */
export async function boundedCompressors(): Promise<Compressors> {
  const { compressors } = await import('hyparquet-compressors');
  const bounded =
    (decompress: (input: Uint8Array, options: { maxOutputLength: number }) => Uint8Array) =>
    (input: Uint8Array, length: number): Uint8Array =>
      length === 0 ? new Uint8Array() : decompress(input, { maxOutputLength: length });
  return {
    // These write into memory of the promised size.
    ...compressors,
    GZIP: bounded(gunzipSync),
    BROTLI: bounded(brotliDecompressSync),
    ZSTD: bounded(zstdDecompressSync),
  };
}
