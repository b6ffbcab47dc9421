import type { ByteSource } from '#contract/container/byte-source.ts';

/** Range of the bytes of a file in an archive. */
export interface ZipEntry {
  readonly offset: number;
  readonly length: number;
}

/** torch ends an archive with this record, without a comment. */
const END = { signature: 0x06054b50, bytes: 22 };
const DIRECTORY = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
/** An archive of torch has a few entries, and one for each tensor. */
const MAX_ENTRIES = 10_000;
const MAX_DIRECTORY_BYTES = 4_000_000;

/**
 * Reads where the files of a zip archive are that are stored without compression, as torch stores them. Undefined if it is another
 * kind of file.
 */
export function zipEntries(source: ByteSource): Map<string, ZipEntry> | undefined {
  const end = viewOf(source, source.size - END.bytes, END.bytes);
  if (end?.getUint32(0, true) !== END.signature) return undefined;
  const count = end.getUint16(10, true);
  const length = end.getUint32(12, true);
  const directory =
    count <= MAX_ENTRIES && length <= MAX_DIRECTORY_BYTES
      ? viewOf(source, end.getUint32(16, true), length)
      : undefined;
  if (!directory) return undefined;
  const entries = new Map<string, ZipEntry>();
  for (let at = 0, read = 0; read < count; read++) {
    if (at + DIRECTORY.bytes > length || directory.getUint32(at, true) !== DIRECTORY.signature)
      return undefined;
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => directory.getUint16(at + field, true));
    const next = at + DIRECTORY.bytes + (nameLength ?? 0);
    if (next > length) return undefined;
    const name = textOf(directory, at + DIRECTORY.bytes, nameLength ?? 0);
    const entry = entryAt(source, directory, at);
    if (!entry || entries.has(name)) return undefined;
    entries.set(name, entry);
    at = next + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}

/** The entry whose record is at this place of the directory. */
function entryAt(source: ByteSource, directory: DataView, at: number): ZipEntry | undefined {
  const [flags, method] = [8, 10].map((field) => directory.getUint16(at + field, true));
  const [stored, size] = [20, 24].map((field) => directory.getUint32(at + field, true));
  const isStored = method === 0 && stored === size && ((flags ?? 0) & ENCRYPTED) === 0;
  const start = directory.getUint32(at + 42, true);
  const local = isStored ? viewOf(source, start, LOCAL.bytes) : undefined;
  if (local?.getUint32(0, true) !== LOCAL.signature || size === undefined) return undefined;
  const offset = start + LOCAL.bytes + local.getUint16(26, true) + local.getUint16(28, true);
  return offset + size <= source.size ? { offset, length: size } : undefined;
}

const ENCRYPTED = 1;

function viewOf(source: ByteSource, offset: number, length: number): DataView | undefined {
  if (offset < 0 || offset + length > source.size) return undefined;
  const bytes = source.readAt(offset, length);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const textOf = ({ buffer, byteOffset }: DataView, offset: number, length: number): string =>
  new TextDecoder().decode(new Uint8Array(buffer, byteOffset + offset, length));
