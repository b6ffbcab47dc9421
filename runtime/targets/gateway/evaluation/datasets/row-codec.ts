import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseJsonText } from '#core/json/json-text.ts';
import type { RowCells } from './dataset.ts';

/** Encodes rows as compressed lines of JSON, which the database stores as one value. */
export function encodeRows(rows: readonly RowCells[]): Uint8Array {
  return zstdCompressSync(rows.map((row) => JSON.stringify(row)).join('\n'));
}

export function decodeRows(bytes: Uint8Array): RowCells[] {
  const text = zstdDecompressSync(bytes).toString('utf8');
  return text === '' ? [] : text.split('\n').map((line) => parseJsonText(line) as RowCells);
}
