import { extname } from 'node:path';
import { inputError } from '#contract/errors.ts';
import type { Row } from '../dataset.ts';
import { readCsv } from './csv.ts';
import { readJsonl } from './jsonl.ts';
import { readParquet } from './parquet.ts';
import type { ReadOptions } from './read-options.ts';

type Reader = (bytes: AsyncIterable<Uint8Array>, options: ReadOptions) => AsyncGenerator<Row, void>;

const READERS: Readonly<Record<string, Reader>> = {
  '.csv': readCsv,
  '.tsv': readCsv,
  '.jsonl': readJsonl,
  '.ndjson': readJsonl,
  '.parquet': readParquet,
};

/** Whether the extension of a file is one of a format that can be read. */
export const hasReader = (filename: string): boolean =>
  Object.hasOwn(READERS, extname(filename).toLowerCase());

/** Reads the rows of a file in the format of its extension. Throws an InputError. */
export function readRows(
  filename: string,
  bytes: AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<Row, void> {
  const reader = READERS[extname(filename).toLowerCase()];
  if (reader) return reader(bytes, options);
  throw inputError(
    `Unsupported file extension in ${JSON.stringify(filename.slice(0, 200))}. Supported extensions: ${Object.keys(READERS).join(', ')}.`,
  );
}
