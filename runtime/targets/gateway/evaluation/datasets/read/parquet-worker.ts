import { serveWorker } from '#platform/worker-requests.ts';
import type { RowCells, DatasetCell } from '../dataset.ts';
import type { ParquetRequest } from './read-rows.ts';
import { type FileHandle, open } from 'node:fs/promises';
import { parquetMetadata, parquetReadObjects, parquetSchema, type Compressors } from 'hyparquet';
import { readFileBytes } from './read-bytes.ts';
import { checkParquet } from './check-parquet.ts';
import { checkColumns } from './columns.ts';
import { isUtf8 } from 'node:buffer';
import { imageFormat } from '#core/images/read-image-size.ts';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';

/** Number of rows per reply. A reply is copied as a whole. */
const MAX_ROWS = 1000;
const MAX_CHARACTERS = 4_000_000;

let rows: ReturnType<typeof parquetRows> | undefined;

fixArrays();
serveWorker({
  open({ path, hasLabelNames }: ParquetRequest & { kind: 'open' }) {
    rows = parquetRows(path, hasLabelNames);
    return { reply: undefined };
  },
  async rows() {
    const reply: RowCells[] = [];
    let characters = 0;
    const next = rows;
    if (!next) return { reply };
    while (reply.length < MAX_ROWS && characters < MAX_CHARACTERS) {
      const { done, value } = await next.next();
      if (done === true) break;
      reply.push(value.row);
      characters += value.characters;
    }
    return { reply };
  },
});

/**
 * For the whole thread, makes arrays created with a length keep that length: adding an element throws. The
 * Parquet library writes as many values as a run in a page has, even beyond the end of its array, which would
 * otherwise grow until V8 ends the process.
 */
function fixArrays(): void {
  globalThis.Array = new Proxy(Array, {
    construct(target, values: [unknown], newTarget) {
      const made = Reflect.construct(target, values, newTarget) as unknown[];
      return values.length === 1 && made.length > 0 ? Object.preventExtensions(made.fill(undefined)) : made;
    },
  });
}

/** Maximum number of rows decoded at a time. A page with more rows is decoded several times. */
const MAX_ROWS_PER_READ = 100_000;
const MIN_ROWS_PER_READ = 100;
/** Bytes and cells in rows that are decoded at a time. */
const BYTES_PER_READ = 32 * 1024 * 1024;
const CELLS_PER_READ = 1_000_000;
/** A few bytes can be the text of many cells, because a file stores equal texts once. */
const MAX_TOTAL_CHARACTERS = 2 ** 30;

/** A row and its number of characters. */
interface CountedRow {
  readonly row: RowCells;
  readonly characters: number;
}

/** Reads a file's rows. Nothing is decoded until all sizes in the file are checked. */
async function* parquetRows(path: string, hasLabelNames: boolean): AsyncGenerator<CountedRow, void> {
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
    slice: (start: number, end = size) => readFileBytes(handle, start, end - start).then(bufferOf),
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
    const rows = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd, utf8: false });
    if (rows.length !== rowEnd - rowStart)
      throw new Error(
        `it contains ${rowStart + rows.length} of the ${total} rows that its metadata declares`,
      );
    for (const row of rows) {
      const before = characters;
      const count = (cell: DatasetCell): DatasetCell => {
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

/** The name of a numeric label, or of each label in a list. */
function named(cell: DatasetCell, names: readonly string[] | undefined): DatasetCell {
  if (!names) return cell;
  if (Array.isArray(cell)) return cell.map((one: DatasetCell) => named(one, names));
  return typeof cell === 'number' ? (names[cell] ?? null) : cell;
}

/**
 * Converts a Parquet value to JSON, which has fewer types. `count` receives each value that is not a list or
 * an object.
 */
function cellOf(value: unknown, count: (cell: DatasetCell) => DatasetCell): DatasetCell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint')
    return count(Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
  if (value instanceof Date) return count(value.toISOString());
  if (value instanceof Uint8Array) return count(textOf(value));
  if (Array.isArray(value)) return value.map((one) => cellOf(one, count));
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (typeof value === 'object') {
    const image = imageIn(value);
    if (image) return cellOf(image, count);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cellOf(member, count)]));
  }
  return count(value as DatasetCell);
}

/** Bytes as a string. Some programs write texts without declaring them as such; all other bytes, and images, are base64. */
function textOf(bytes: Uint8Array): string {
  const isText = imageFormat(bytes) === undefined && isUtf8(bytes);
  return Buffer.from(bytes).toString(isText ? 'utf8' : 'base64');
}

/** The file in a value as the `datasets` library writes images: an object with its bytes and its name. */
function imageIn(value: object): Uint8Array | undefined {
  const [bytes, path, ...others] = Object.keys(value).toSorted();
  if (bytes !== 'bytes' || path !== 'path' || others.length > 0) return undefined;
  const file: unknown = memberOf(value, 'bytes');
  return file instanceof Uint8Array ? file : undefined;
}

/** Decompressors that stop at the size declared in a page header. */
async function boundedCompressors(): Promise<Compressors> {
  const { compressors } = await import('hyparquet-compressors');
  const bounded =
    (decompress: (input: Uint8Array, options: { maxOutputLength: number }) => Uint8Array) =>
    (input: Uint8Array, length: number): Uint8Array =>
      length === 0 ? new Uint8Array() : decompress(input, { maxOutputLength: length });
  return {
    // These write into memory of the declared size.
    ...compressors,
    GZIP: bounded(gunzipSync),
    BROTLI: bounded(brotliDecompressSync),
    ZSTD: bounded(zstdDecompressSync),
  };
}

type KeyValues = readonly { readonly key: string; readonly value?: string | undefined }[];

/** Label names by column, which the `datasets` library writes to Parquet files with numeric columns. */
function labelNames(metadata: KeyValues | undefined): ReadonlyMap<string, readonly string[]> {
  const text = metadata?.find(({ key }) => key === 'huggingface')?.value;
  const found = new Map<string, readonly string[]>();
  if (text === undefined) return found;
  const features = memberOf(memberOf(jsonIn(text), 'info'), 'features');
  for (const [column, feature] of Object.entries(isObject(features) ? features : {})) {
    const names = memberOf(labelFeature(feature), 'names');
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) found.set(column, names);
  }
  return found;
}

/**
 * The feature that describes a label; for a list of labels, it is a member or, in older files, the only list
 * element.
 */
function labelFeature(feature: unknown): unknown {
  const [element] = Array.isArray(feature) ? feature : [];
  const inner = element ?? memberOf(feature, 'feature') ?? feature;
  return memberOf(inner, '_type') === 'ClassLabel' ? inner : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
