import { readFileSync } from 'node:fs';
import { getRawAsset, isSea } from 'node:sea';
import { zstdDecompressSync } from 'node:zlib';
import { dataAsset } from '#contract/native.ts';

/** Reads data that ships with the program: the compressed asset `name` of the executable, or its source file. */
export function readDataAsset(name: string, source: URL): Buffer {
  return isSea() ? zstdDecompressSync(new Uint8Array(getRawAsset(dataAsset(name)))) : readFileSync(source);
}
