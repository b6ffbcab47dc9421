import type { FileHandle } from 'node:fs/promises';
import { checkPages, type ColumnChunk } from './check-pages.ts';
import { readBytes } from './read-bytes.ts';
import { countOf, listOf, readThrift, structOf, type ThriftStruct } from './thrift-reader.ts';

const MAGIC = 'PAR1';
/** Length of the footer, and the magic bytes after it. */
const TAIL = 8;
const MAX_FOOTER_BYTES = 16 * 1024 * 1024;
const MAX_SCHEMA_ELEMENTS = 2000;
const MAX_SCHEMA_DEPTH = 16;
const MAX_ROWS = 100_000_000;
/** Decompressed bytes of a file. */
const MAX_DECOMPRESSED = 4 * 2 ** 30;
/** Values, and decompressed bytes, of the pages that are decoded at the same time: one of each column. */
const MAX_OPEN_VALUES = 16_000_000;
const MAX_OPEN_BYTES = 256 * 1024 * 1024;

/** What the checks found: the end of the file with its metadata, and the mean size of a row. */
export interface CheckedParquet {
  readonly footer: Uint8Array<ArrayBuffer>;
  readonly bytesPerRow: number;
}

/**
 * Checks all sizes and counts of a Parquet file against each other, against the file and against limits. The library that decodes the
 * file allocates what they promise. Throws an error whose message has "the file" as its subject.
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */
export async function checkParquet(handle: FileHandle, size: number): Promise<CheckedParquet> {
  if (size < TAIL + MAGIC.length) throw new Error('it is too short');
  const tail = Buffer.from(await readBytes(handle, size - TAIL, TAIL));
  if (tail.toString('latin1', 4) !== MAGIC) throw new Error('it does not end with PAR1');
  const length = tail.readUInt32LE(0);
  if (length > MAX_FOOTER_BYTES || length > size - TAIL - MAGIC.length)
    throw new Error(`its metadata has ${length} bytes`);
  const footer = await readBytes(handle, size - TAIL - length, length + TAIL);
  const { value: metadata } = readThrift(footer.subarray(0, length));
  const leaves = checkSchema(listOf(metadata.get(2)).map(structOf));
  const groups = listOf(metadata.get(4)).map(structOf);
  const rows = countOf(metadata, 3);
  if (rows > MAX_ROWS) throw new Error(`it has ${rows} rows, more than ${MAX_ROWS}`);
  const counted = groups.reduce((sum, group) => sum + countOf(group, 3), 0);
  if (counted !== rows) throw new Error(`it promises ${rows} rows, but its row groups have ${counted}`);
  const end = size - TAIL - length;
  const decompressed = await checkGroups(handle, groups, { leaves, end });
  return { footer, bytesPerRow: Math.max(1, decompressed / Math.max(1, rows)) };
}

/** Returns for each column whether it can have several values in a row. */
function checkSchema(elements: readonly (ThriftStruct | undefined)[]): boolean[] {
  if (elements.length > MAX_SCHEMA_ELEMENTS)
    throw new Error(`its schema has more than ${MAX_SCHEMA_ELEMENTS} elements`);
  const leaves: boolean[] = [];
  /** Number of children that are still missing, by depth. */
  const open: { missing: number; isRepeated: boolean }[] = [];
  for (const [index, element] of elements.entries()) {
    while (open.at(-1)?.missing === 0) open.pop();
    const parent = open.at(-1);
    if (!parent && index > 0) throw new Error('its schema has more than one root');
    if (parent) parent.missing -= 1;
    const isRepeated = (parent?.isRepeated ?? false) || countOf(element, 3, 0) === REPEATED;
    const missing = countOf(element, 5, 0);
    if (missing > elements.length) throw new Error('its schema is incomplete');
    if (missing > 0) open.push({ missing, isRepeated });
    else if (index > 0) leaves.push(isRepeated);
    if (open.length > MAX_SCHEMA_DEPTH) throw new Error('its schema is nested too deeply');
  }
  if (open.some(({ missing }) => missing > 0)) throw new Error('its schema is incomplete');
  return leaves;
}

const REPEATED = 2;

/** Returns the decompressed size. */
async function checkGroups(
  handle: FileHandle,
  groups: readonly (ThriftStruct | undefined)[],
  { leaves, end }: { readonly leaves: readonly boolean[]; readonly end: number },
): Promise<number> {
  let compressed = 0;
  let decompressed = 0;
  for (const group of groups) {
    const columns = listOf(group?.get(1)).map((column) => structOf(structOf(column)?.get(3)));
    if (columns.length !== leaves.length)
      throw new Error(`a row group has ${columns.length} columns, and the schema ${leaves.length}`);
    const open = { values: 0, bytes: 0 };
    for (const [index, column] of columns.entries()) {
      const chunk = chunkOf(column, { rows: countOf(group, 3), isRepeated: leaves[index] === true, end });
      compressed += chunk.length;
      // Chunks that share bytes would be read once for each.
      if (compressed > end) throw new Error('its columns are larger than the file');
      const pages = checkPages(await readBytes(handle, chunk.start, chunk.length), chunk);
      decompressed += pages.bytes;
      open.values += pages.largest.values;
      open.bytes += pages.largest.bytes;
    }
    if (decompressed > MAX_DECOMPRESSED) throw new Error(`it has more than ${MAX_DECOMPRESSED} bytes`);
    if (open.values > MAX_OPEN_VALUES || open.bytes > MAX_OPEN_BYTES)
      throw new Error(
        `its pages are too large: together ${open.values} values and ${open.bytes} bytes. Write smaller pages`,
      );
  }
  return decompressed;
}

function chunkOf(
  column: ThriftStruct | undefined,
  { rows, isRepeated, end }: { readonly rows: number; readonly isRepeated: boolean; readonly end: number },
): ColumnChunk {
  const values = countOf(column, 5);
  if (isRepeated ? values < rows : values !== rows)
    throw new Error(`a column has ${values} values in ${rows} rows`);
  const length = countOf(column, 7);
  const data = countOf(column, 9);
  const dictionary = countOf(column, 11, 0);
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  if (start + length > end) throw new Error('a column is outside of the file');
  return { start, length, values };
}
