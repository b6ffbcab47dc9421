import { extname } from 'node:path';
import { inputError } from '../../../../../contract/errors.ts';
import type { Row } from '../dataset.ts';
import { readCsv } from './csv.ts';
import { readJsonl } from './jsonl.ts';
import { readParquet } from './parquet.ts';

type Reader = (bytes: AsyncIterable<Uint8Array>) => AsyncGenerator<Row, void>;

const READERS: Readonly<Record<string, Reader>> = {
  '.csv': readCsv,
  '.jsonl': readJsonl,
  '.ndjson': readJsonl,
  '.parquet': readParquet,
};

/** The rows of a file, read as the ending of its name says. Throws an InputError. */
export function readRows(filename: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Row, void> {
  const reader = READERS[extname(filename).toLowerCase()];
  if (reader) return reader(bytes);
  throw inputError(
    `${JSON.stringify(filename.slice(0, 200))} has no ending that says what it holds; datasets are ${Object.keys(READERS).join(', ')} files.`,
  );
}
