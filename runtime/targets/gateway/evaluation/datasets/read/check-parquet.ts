import type { FileHandle } from 'node:fs/promises';
import { readFileBytes } from './read-bytes.ts';

const MAGIC = 'PAR1';
/** Length of the footer's size field and the magic bytes after it. */
const TAIL = 8;
const MAX_FOOTER_BYTES = 16 * 1024 * 1024;
const MAX_SCHEMA_ELEMENTS = 2000;
const MAX_SCHEMA_DEPTH = 16;
const MAX_ROWS = 100_000_000;
/** Maximum decompressed size of a file in bytes. */
const MAX_DECOMPRESSED = 4 * 2 ** 30;
/** Maximum number of values, and of decompressed bytes, in the pages that are decoded concurrently: one per column. */
const MAX_OPEN_VALUES = 16_000_000;
const MAX_OPEN_BYTES = 256 * 1024 * 1024;

/** The result of the checks: the end of the file with its metadata, and the mean row size. */
export interface CheckedParquet {
  readonly footer: Uint8Array<ArrayBuffer>;
  readonly bytesPerRow: number;
}

/**
 * Checks all sizes and counts in a Parquet file against each other, against the file and against limits,
 * because the library that decodes the file allocates memory accordingly. Throws an error whose message has
 * "the file" as its subject.
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */
export async function checkParquet(handle: FileHandle, size: number): Promise<CheckedParquet> {
  if (size < TAIL + MAGIC.length) throw new Error('it is too short');
  const tail = Buffer.from(await readFileBytes(handle, size - TAIL, TAIL));
  if (tail.toString('latin1', 4) !== MAGIC) throw new Error('it does not end with PAR1');
  const length = tail.readUInt32LE(0);
  if (length > MAX_FOOTER_BYTES || length > size - TAIL - MAGIC.length)
    throw new Error(`its metadata has an invalid length of ${length} bytes`);
  const footer = await readFileBytes(handle, size - TAIL - length, length + TAIL);
  const { value: metadata } = readThrift(footer.subarray(0, length));
  const leaves = checkSchema(listOf(metadata.get(2)).map(structOf));
  const groups = listOf(metadata.get(4)).map(structOf);
  const rows = countOf(metadata, 3);
  if (rows > MAX_ROWS) throw new Error(`it has ${rows} rows, more than ${MAX_ROWS}`);
  const counted = groups.reduce((sum, group) => sum + countOf(group, 3), 0);
  if (counted !== rows)
    throw new Error(`its metadata declares ${rows} rows, but its row groups contain ${counted}`);
  const end = size - TAIL - length;
  const decompressed = await checkGroups(handle, groups, { leaves, end });
  return { footer, bytesPerRow: Math.max(1, decompressed / Math.max(1, rows)) };
}

/** Returns for each column whether it can have several values per row. */
function checkSchema(elements: readonly (ThriftStruct | undefined)[]): boolean[] {
  if (elements.length > MAX_SCHEMA_ELEMENTS)
    throw new Error(`its schema has more than ${MAX_SCHEMA_ELEMENTS} elements`);
  const leaves: boolean[] = [];
  /** Number of children still missing, by depth. */
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
      throw new Error(`a row group has ${columns.length} columns, but the schema has ${leaves.length}`);
    const open = { values: 0, bytes: 0 };
    for (const [index, column] of columns.entries()) {
      const chunk = chunkOf(column, { rows: countOf(group, 3), isRepeated: leaves[index] === true, end });
      compressed += chunk.length;
      // Chunks that share bytes would be read once each.
      if (compressed > end) throw new Error('its columns are larger than the file');
      const pages = checkPages(await readFileBytes(handle, chunk.start, chunk.length), chunk);
      decompressed += pages.bytes;
      open.values += pages.largest.values;
      open.bytes += pages.largest.bytes;
    }
    if (decompressed > MAX_DECOMPRESSED) throw new Error(`it has more than ${MAX_DECOMPRESSED} bytes`);
    if (open.values > MAX_OPEN_VALUES || open.bytes > MAX_OPEN_BYTES)
      throw new Error(
        `its pages are too large: ${open.values} values and ${open.bytes} bytes in total. Write smaller pages`,
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
  if (start + length > end) throw new Error('a column is outside the file');
  return { start, length, values };
}

/** The part of a file that holds a column's values in a row group. */
interface ColumnChunk {
  readonly start: number;
  readonly length: number;
  readonly values: number;
}

interface Pages {
  /** Decompressed size. */
  readonly bytes: number;
  /** The page with the most values and the page with the most bytes, each together with the dictionary. */
  readonly largest: { readonly values: number; readonly bytes: number };
}

/** Page types by number. */
const DATA = 0;
const INDEX = 1;
const DICTIONARY = 2;
const DATA_V2 = 3;
/** A dictionary value takes at least one bit. */
const BITS = 8;

/** Checks the headers of all of a column's pages. Throws an error. */
function checkPages(chunk: Uint8Array, { values }: ColumnChunk): Pages {
  let at = 0;
  let counted = 0;
  let bytes = 0;
  const dictionary = { values: 0, bytes: 0 };
  const largest = { values: 0, bytes: 0 };
  while (at < chunk.length - 1 && counted < values) {
    const { value: header, length } = readThrift(chunk.subarray(at));
    const decompressed = countOf(header, 2);
    const compressed = countOf(header, 3);
    at += length;
    if (compressed > chunk.length - at) throw new Error('a page is outside its column');
    at += compressed;
    bytes += decompressed;
    const type = countOf(header, 1);
    if (type === DICTIONARY) {
      const found = countOf(structOf(header.get(7)), 1);
      if (found > decompressed * BITS) throw new Error('a dictionary has more values than bits');
      dictionary.values += found;
      dictionary.bytes += decompressed;
      continue;
    }
    if (type === INDEX) continue;
    if (type !== DATA && type !== DATA_V2) throw new Error(`it has a page of unknown type ${type}`);
    const page = structOf(header.get(type === DATA ? 5 : 8));
    const found = countOf(page, 1);
    if (type === DATA_V2 && (countOf(page, 2) > found || countOf(page, 3) > found))
      throw new Error('a page has more rows than values');
    if (type === DATA_V2 && countOf(page, 5, 0) + countOf(page, 6, 0) > Math.min(compressed, decompressed))
      throw new Error('the levels of a page are larger than the page');
    counted += found;
    largest.values = Math.max(largest.values, found);
    largest.bytes = Math.max(largest.bytes, decompressed);
  }
  if (counted !== values)
    throw new Error(`a column declares ${values} values, but its pages contain ${counted}`);
  return {
    bytes,
    largest: { values: largest.values + dictionary.values, bytes: largest.bytes + dictionary.bytes },
  };
}

/**
 * A value in Thrift's compact protocol: numbers, structs keyed by field ID, and lists. Strings are
 * represented by their length only.
 */
type ThriftValue = number | ThriftStruct | readonly ThriftValue[];
type ThriftStruct = ReadonlyMap<number, ThriftValue>;

const TYPE = { stop: 0, true: 1, false: 2, byte: 3, double: 7, binary: 8, list: 9, set: 10, struct: 12 };
const MAX_DEPTH = 32;
const MAX_VARINT_BYTES = 10;

/**
 * Reads a struct and checks its structure before a library reads it: lists are no longer than the remaining
 * bytes, nesting is limited, and each value takes at least one byte, so that time and memory stay linear.
 * Throws an error. https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
function readThrift(bytes: Uint8Array): { readonly value: ThriftStruct; readonly length: number } {
  let at = 0;
  const byte = (): number => {
    const value = bytes[at];
    if (value === undefined) throw new Error('its metadata is truncated');
    at += 1;
    return value;
  };
  const varint = (): number => {
    let value = 0;
    let factor = 1;
    for (let length = 0; length < MAX_VARINT_BYTES; length += 1) {
      const next = byte();
      value += (next & 0x7f) * factor;
      if (next < 0x80) return value;
      factor *= 128;
    }
    throw new Error('a number in its metadata is too long');
  };
  const zigzag = (): number => {
    const value = varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const skip = (length: number): number => {
    if (length > bytes.length - at) throw new Error('its metadata is truncated');
    at += length;
    return length;
  };
  const list = (depth: number): ThriftValue[] => {
    const header = byte();
    const size = header >> 4 === 15 ? varint() : header >> 4;
    if (size > bytes.length - at) throw new Error('a list in its metadata is longer than the file');
    const type = header & 0x0f;
    return Array.from({ length: size }, () =>
      // Within a list, a boolean takes a byte.
      type === TYPE.true || type === TYPE.false ? byte() : element(type, depth),
    );
  };
  const element = (type: number, depth: number): ThriftValue => {
    if (depth > MAX_DEPTH) throw new Error('its metadata is nested too deeply');
    switch (type) {
      case TYPE.true:
        return 1;
      case TYPE.false:
        return 0;
      case TYPE.byte:
        return byte();
      case 4:
      case 5:
      case 6:
        return zigzag();
      case TYPE.double:
        return skip(8);
      case TYPE.binary:
        return skip(varint());
      case TYPE.list:
      case TYPE.set:
        return list(depth + 1);
      case TYPE.struct:
        return struct(depth + 1);
      default:
        throw new Error(`its metadata has a value of unknown type ${type}`);
    }
  };
  const struct = (depth: number): ThriftStruct => {
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (let header = byte(); (header & 0x0f) !== TYPE.stop; header = byte()) {
      id = header >> 4 === 0 ? zigzag() : id + (header >> 4);
      fields.set(id, element(header & 0x0f, depth));
    }
    return fields;
  };
  return { value: struct(0), length: at };
}

/** A number in a struct; `fallback` if the field is missing. Throws an error if it is negative or not a number. */
function countOf(struct: ThriftStruct | undefined, id: number, fallback?: number): number {
  const value = struct?.get(id) ?? fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Error('a size in its metadata is invalid');
  return value;
}

const structOf = (value: ThriftValue | undefined): ThriftStruct | undefined =>
  value instanceof Map ? value : undefined;

const listOf = (value: ThriftValue | undefined): readonly ThriftValue[] =>
  Array.isArray(value) ? (value as readonly ThriftValue[]) : [];
