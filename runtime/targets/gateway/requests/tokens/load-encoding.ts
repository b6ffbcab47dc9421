import { createYielder } from '#platform/run-yielding.ts';
import { readDataAsset } from '#platform/data-asset.ts';
import {
  createEncoding,
  readRanks,
  nextCl100k,
  nextO200k,
  type Encoding,
  type NextPiece,
} from './encoding.ts';

export type EncodingName = 'o200k' | 'cl100k';

const SPLITS: Readonly<Record<EncodingName, NextPiece>> = { o200k: nextO200k, cl100k: nextCl100k };

/**
 * Reads an encoding's tokens from the file that fixtures/scripts/make_token_counts.py creates, without
 * blocking requests.
 */
export async function loadEncoding(name: EncodingName): Promise<Encoding> {
  const { zstdDecompress } = await import('node:zlib');
  const file = `${name}.tokens.zst`;
  const packed = readDataAsset(file, new URL(file, import.meta.url));
  const data = await new Promise<Buffer>((resolve, reject) => {
    zstdDecompress(packed, (error, unpacked) => (error ? reject(error) : resolve(unpacked)));
  });
  return createEncoding(await readRanks(data, createYielder()), SPLITS[name]);
}
