import { lookup } from '#core/values/lookup.ts';
import { extname, join } from 'node:path';
import { inputError, messageOf } from '#contract/errors.ts';
import type { RowCells } from '../dataset.ts';
import { readCsv } from './csv.ts';
import type { ReadRowsOptions } from './read-options.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { lines } from '#core/text/lines.ts';
import { checkColumns } from './columns.ts';
import { decodeUtf8 } from './utf8.ts';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Parser, startParser } from '#platform/parser-thread.ts';

const PARSER: Parser = {
  name: 'parquet',
  source: new URL('./parquet-worker.ts', import.meta.url),
  subject: 'Reading the file',
  heapMb: 512,
  seconds: 60,
  totalSeconds: 600,
};

/**
 * Reads a Parquet file in a thread. The format needs random access, so the file is first written to a
 * temporary folder. The thread ends with its reader.
 */
async function* readParquet(
  bytes: AsyncIterable<Uint8Array>,
  { hasLabelNames = false }: Pick<ReadRowsOptions, 'hasLabelNames'> = {},
): AsyncGenerator<RowCells, void> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-dataset-'));
  try {
    const path = join(folder, 'dataset.parquet');
    await pipeline(Readable.from(bytes), createWriteStream(path, { mode: 0o600 }));
    yield* rowsOf(path, hasLabelNames);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* rowsOf(path: string, hasLabelNames: boolean): AsyncGenerator<RowCells, void> {
  const { ask, end } = startParser<ParquetRequest>(PARSER);
  try {
    await ask({ kind: 'open', path, hasLabelNames });
    for (;;) {
      const rows = (await ask({ kind: 'rows' })) as readonly RowCells[];
      if (rows.length === 0) return;
      yield* rows;
    }
  } catch (error) {
    throw inputError(`Cannot read the dataset as Parquet: ${messageOf(error).replace(/\.$/, '')}.`, error);
  } finally {
    end();
  }
}

type Reader = (bytes: AsyncIterable<Uint8Array>, options: ReadRowsOptions) => AsyncGenerator<RowCells, void>;

const READERS = lookup<Reader>({
  '.csv': readCsv,
  '.tsv': readCsv,
  '.jsonl': readJsonl,
  '.ndjson': readJsonl,
  '.parquet': readParquet,
});

/** Whether a file's extension belongs to a supported format. */
export const hasReader = (filename: string): boolean => extname(filename).toLowerCase() in READERS;

/** Reads a file's rows in the format given by its extension. Throws an InputError. */
export function readRows(
  filename: string,
  bytes: AsyncIterable<Uint8Array>,
  options: ReadRowsOptions = {},
): AsyncGenerator<RowCells, void> {
  const reader = READERS[extname(filename).toLowerCase()];
  if (reader) return reader(bytes, options);
  throw inputError(
    `Unsupported file extension in ${JSON.stringify(filename.slice(0, 200))}. Supported extensions: ${Object.keys(READERS).join(', ')}.`,
  );
}

/** Reads a file with one JSON object per line. Throws an InputError with the line number. */
async function* readJsonl(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<RowCells, void> {
  let number = 0;
  let columns: readonly string[] | undefined;
  for await (const line of lines(decodeUtf8(bytes))) {
    number += 1;
    if (line.trim() === '') continue;
    const row = parse(line, number);
    columns ??= checkColumns(Object.keys(row));
    yield fitted(row, columns, number);
  }
}

function parse(line: string, number: number): RowCells {
  let value: unknown;
  try {
    value = parseJsonText(line);
  } catch (error) {
    throw inputError(`Line ${number} of the dataset is not valid JSON: ${messageOf(error)}`, error);
  }
  if (isObject(value)) return value as RowCells;
  throw inputError(
    `Line ${number} of the dataset is not a JSON object. Write one row per line, e.g. {"examples": "…"}.`,
  );
}

/** The row with the first row's columns, in the same order. */
function fitted(row: RowCells, columns: readonly string[], number: number): RowCells {
  const unknown = Object.keys(row).find((name) => !columns.includes(name));
  if (unknown !== undefined) {
    throw inputError(
      `Line ${number} of the dataset has column ${JSON.stringify(unknown)}, which the first line does not have. All rows must have the same columns.`,
    );
  }
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

/** Requests to the thread that reads a Parquet file. */
export type ParquetRequest =
  | { readonly kind: 'open'; readonly path: string; readonly hasLabelNames: boolean }
  /** Returns the next rows; no rows at the end. */
  | { readonly kind: 'rows' };
