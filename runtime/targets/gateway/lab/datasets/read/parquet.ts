import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inputError, messageOf } from '../../../../../contract/errors.ts';
import type { Cell, Row } from '../dataset.ts';
import { checkColumns } from './columns.ts';
import { labelNames } from './label-names.ts';
import type { ReadOptions } from './read-options.ts';

/** Number of rows that are decoded at a time. */
const ROWS_PER_READ = 1000;

/** Reads a Parquet file. The format needs random access, so the file is written to a temporary folder first. */
export async function* readParquet(
  bytes: AsyncIterable<Uint8Array>,
  { hasLabelNames = false }: Pick<ReadOptions, 'hasLabelNames'> = {},
): AsyncGenerator<Row, void> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-dataset-'));
  try {
    const path = join(folder, 'dataset.parquet');
    await pipeline(Readable.from(bytes), createWriteStream(path, { mode: 0o600 }));
    yield* rowsOf(path, hasLabelNames);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* rowsOf(path: string, hasLabelNames: boolean): AsyncGenerator<Row, void> {
  // Loaded on use, because only Parquet uploads need these packages.
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } =
    await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const file = await asyncBufferFromFile(path);
  try {
    const metadata = await parquetMetadataAsync(file);
    const columns = checkColumns(parquetSchema(metadata).children.map(({ element }) => element.name));
    const labels = hasLabelNames
      ? labelNames(metadata.key_value_metadata)
      : new Map<string, readonly string[]>();
    const total = Number(metadata.num_rows);
    for (let rowStart = 0; rowStart < total; rowStart += ROWS_PER_READ) {
      const rowEnd = Math.min(total, rowStart + ROWS_PER_READ);
      const rows = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd });
      for (const row of rows) {
        const cells = columns.map((name) => [name, named(cellOf(row[name]), labels.get(name))] as const);
        yield Object.fromEntries(cells);
      }
    }
  } catch (error) {
    throw inputError(`Cannot read the dataset as Parquet: ${messageOf(error)}.`, error);
  }
}

/** The name of a label that is a number, or a list of them. */
function named(cell: Cell, names: readonly string[] | undefined): Cell {
  if (!names) return cell;
  if (Array.isArray(cell)) return cell.map((one: Cell) => named(one, names));
  return typeof cell === 'number' ? (names[cell] ?? null) : cell;
}

/** Converts a Parquet value to JSON, which has fewer types. */
function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(cellOf);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cellOf(member)]));
  }
  return value as Cell;
}
