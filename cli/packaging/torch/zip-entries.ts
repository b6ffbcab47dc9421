import type { ByteSource } from '#contract/container/byte-source.ts';

/** Byte range of an entry in an archive. */
export interface ZipEntry {
  readonly offset: number;
  readonly length: number;
}

/** Length of the record at the end of an archive. torch writes it without a comment. */
const END = { signature: 0x06054b50, bytes: 22 };
/** The records before it in archives that are too large for its fields. */
const LARGE_END = { signature: 0x06064b50, bytes: 56 };
const LOCATOR = { signature: 0x07064b50, bytes: 20 };
const DIRECTORY = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
/** Maximum number of entries. A torch archive has one entry per tensor, and a few more. */
const MAX_ENTRIES = 100_000;
const MAX_DIRECTORY_BYTES = 16_000_000;
/** Values of fields whose number is in the 64-bit field of another record. */
const IN_LARGE = { count: 0xffff, size: 0xffffffff };
/** Id of an entry's extra field with 64-bit sizes and positions. */
const LARGE_FIELD = 1;
const ENCRYPTED = 1;

/**
 * Finds the files in a zip archive without compression, as written by torch; undefined for any
 * other kind of file.
 */
export function zipEntries(source: ByteSource): Map<string, ZipEntry> | undefined {
  const place = findDirectory(source);
  if (!place || place.count > MAX_ENTRIES || place.length > MAX_DIRECTORY_BYTES) return undefined;
  const { count, length } = place;
  const directory = viewOf(source, place.offset, length);
  if (!directory) return undefined;
  const entries = new Map<string, ZipEntry>();
  for (let at = 0, read = 0; read < count; read++) {
    if (at + DIRECTORY.bytes > length || directory.getUint32(at, true) !== DIRECTORY.signature)
      return undefined;
    const [nameLength = 0, extra = 0, comment = 0] = [28, 30, 32].map((field) =>
      directory.getUint16(at + field, true),
    );
    const extraAt = at + DIRECTORY.bytes + nameLength;
    if (extraAt + extra > length) return undefined;
    const name = textOf(directory, at + DIRECTORY.bytes, nameLength);
    const entry = entryAt(source, directory, at, { start: extraAt, end: extraAt + extra });
    if (!entry || entries.has(name)) return undefined;
    entries.set(name, entry);
    at = extraAt + extra + comment;
  }
  return entries;
}

/** The range of the archive's directory, and its number of entries. */
function findDirectory(source: ByteSource): (ZipEntry & { readonly count: number }) | undefined {
  const end = viewOf(source, source.size - END.bytes, END.bytes);
  if (end?.getUint32(0, true) !== END.signature) return undefined;
  const place = {
    count: end.getUint16(10, true),
    length: end.getUint32(12, true),
    offset: end.getUint32(16, true),
  };
  const isLarge =
    place.count === IN_LARGE.count || place.length === IN_LARGE.size || place.offset === IN_LARGE.size;
  if (!isLarge) return place;
  const locator = viewOf(source, source.size - END.bytes - LOCATOR.bytes, LOCATOR.bytes);
  if (locator?.getUint32(0, true) !== LOCATOR.signature) return undefined;
  const large = viewOf(source, uint64(locator, 8), LARGE_END.bytes);
  if (large?.getUint32(0, true) !== LARGE_END.signature) return undefined;
  return { count: uint64(large, 32), length: uint64(large, 40), offset: uint64(large, 48) };
}

/** Returns the entry whose record is at this position in the archive's directory. */
function entryAt(
  source: ByteSource,
  directory: DataView,
  at: number,
  extra: { readonly start: number; readonly end: number },
): ZipEntry | undefined {
  const [flags = 0, method] = [8, 10].map((field) => directory.getUint16(at + field, true));
  // In this order, 64-bit numbers follow for the fields that are too small.
  const [size, stored, start] = withLargeNumbers(
    [24, 20, 42].map((field) => directory.getUint32(at + field, true)),
    directory,
    extra,
  );
  if (method !== 0 || stored !== size || (flags & ENCRYPTED) !== 0) return undefined;
  const local = start === undefined ? undefined : viewOf(source, start, LOCAL.bytes);
  if (local?.getUint32(0, true) !== LOCAL.signature || size === undefined || start === undefined)
    return undefined;
  const offset = start + LOCAL.bytes + local.getUint16(26, true) + local.getUint16(28, true);
  return offset + size <= source.size ? { offset, length: size } : undefined;
}

function withLargeNumbers(
  numbers: readonly number[],
  directory: DataView,
  { start, end }: { readonly start: number; readonly end: number },
): (number | undefined)[] {
  let at = start;
  while (at + 4 <= end && directory.getUint16(at, true) !== LARGE_FIELD)
    at += 4 + directory.getUint16(at + 2, true);
  at += 4;
  return numbers.map((number) => {
    if (number !== IN_LARGE.size) return number;
    at += 8;
    return at <= end ? uint64(directory, at - 8) : undefined;
  });
}

const uint64 = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

function viewOf(source: ByteSource, offset: number, length: number): DataView | undefined {
  if (offset < 0 || offset + length > source.size) return undefined;
  const bytes = source.readAt(offset, length);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const textOf = ({ buffer, byteOffset }: DataView, offset: number, length: number): string =>
  new TextDecoder().decode(new Uint8Array(buffer, byteOffset + offset, length));
