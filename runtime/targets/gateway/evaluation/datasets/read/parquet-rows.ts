import { type FileHandle, open } from 'node:fs/promises';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { readBytes } from './read-bytes.ts';
import type { Cell, Row } from '../dataset.ts';
import { checkParquet } from './check-parquet.ts';
import { checkColumns } from './columns.ts';
import { labelNames } from './label-names.ts';
import { boundedCompressors } from './parquet-compressors.ts';

/** Maximum number of rows that are decoded at a time. A page that has more is decoded several times. */
const MAX_ROWS_PER_READ = 100_000;
const MIN_ROWS_PER_READ = 100;
/** Bytes and cells of rows that are decoded at a time. */
const BYTES_PER_READ = 32 * 1024 * 1024;
const CELLS_PER_READ = 1_000_000;
/** Few bytes can be the text of many cells, because a file stores equal texts once. */
const MAX_TOTAL_CHARACTERS = 2 ** 30;

/** A row, and the number of its characters. */
interface CountedRow {
  readonly row: Row;
  readonly characters: number;
}

/** Reads the rows of a file. Nothing is decoded before all sizes in the file are checked. */
export async function* parquetRows(path: string, hasLabelNames: boolean): AsyncGenerator<CountedRow, void> {
  const handle = await open(path);
  try {
    yield* rowsIn(handle, hasLabelNames);
  } finally {
    await handle.close();
  }
}

async function* rowsIn(handle: FileHandle, hasLabelNames: boolean): AsyncGenerator<CountedRow, void> {
  const { size } = await handle.stat();
  const { footer, bytesPerRow } = await checkParquet(handle, size);
  const file = {
    byteLength: size,
    slice: (start: number, end = size) => readBytes(handle, start, end - start).then(bufferOf),
  };
  const metadata = parquetMetadata(bufferOf(footer));
  const compressors = await boundedCompressors();
  const columns = checkColumns(parquetSchema(metadata).children.map(({ element }) => element.name));
  const labels = hasLabelNames
    ? labelNames(metadata.key_value_metadata)
    : new Map<string, readonly string[]>();
  const total = Number(metadata.num_rows);
  const fitting = Math.min(BYTES_PER_READ / bytesPerRow, CELLS_PER_READ / Math.max(1, columns.length));
  const perRead = Math.max(MIN_ROWS_PER_READ, Math.min(MAX_ROWS_PER_READ, Math.floor(fitting)));
  let characters = 0;
  for (let rowStart = 0; rowStart < total; rowStart += perRead) {
    const rowEnd = Math.min(total, rowStart + perRead);
    const rows = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd });
    if (rows.length !== rowEnd - rowStart)
      throw new Error(`it has ${rowStart + rows.length} of the ${total} rows that it promises`);
    for (const row of rows) {
      const before = characters;
      const count = (cell: Cell): Cell => {
        if (typeof cell === 'string') characters += cell.length;
        if (characters > MAX_TOTAL_CHARACTERS)
          throw new Error(`its rows have more than ${MAX_TOTAL_CHARACTERS} characters`);
        return cell;
      };
      const cells = columns.map((name) => [name, named(cellOf(row[name], count), labels.get(name))] as const);
      yield { row: Object.fromEntries(cells), characters: characters - before };
    }
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + byteLength);

/** The name of a label that is a number, or a list of them. */
function named(cell: Cell, names: readonly string[] | undefined): Cell {
  if (!names) return cell;
  if (Array.isArray(cell)) return cell.map((one: Cell) => named(one, names));
  return typeof cell === 'number' ? (names[cell] ?? null) : cell;
}

/** Converts a Parquet value to JSON, which has fewer types. `count` sees each value that is not a list or an object. */
function cellOf(value: unknown, count: (cell: Cell) => Cell): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint')
    return count(Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
  if (value instanceof Date) return count(value.toISOString());
  if (value instanceof Uint8Array) return count(Buffer.from(value).toString('base64'));
  if (Array.isArray(value)) return value.map((one) => cellOf(one, count));
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cellOf(member, count)]));
  }
  return count(value as Cell);
}
