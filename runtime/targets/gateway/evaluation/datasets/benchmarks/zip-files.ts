import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { inputError } from '#contract/errors.ts';

const inflate = promisify(inflateRaw);

const END = 0x06_05_4b_50;
const ENTRY = 0x02_01_4b_50;
const END_LENGTH = 22;
const ENTRY_LENGTH = 46;
const HEADER_LENGTH = 30;
const MAX_COMMENT = 65_535;
/** Maximum size of an extracted file. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;

/**
 * Extracts files from a ZIP archive, in the given order. Archives of more than 4 GiB are not supported. Throws an
 * InputError for a missing or damaged file.
 */
export async function zipFiles(archive: Buffer, names: readonly string[]): Promise<Buffer[]> {
  const entries = entriesOf(archive);
  const files: Buffer[] = [];
  for (const name of names) {
    const entry = entries.get(name);
    if (!entry) throw inputError(`The package does not contain ${name}.`);
    files.push(await extract(archive, entry, name));
  }
  return files;
}

interface Entry {
  readonly method: number;
  readonly compressed: number;
  readonly size: number;
  readonly offset: number;
}

function entriesOf(archive: Buffer): ReadonlyMap<string, Entry> {
  const end = endOf(archive);
  const entries = new Map<string, Entry>();
  let at = archive.readUInt32LE(end + 16);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    if (at + ENTRY_LENGTH > archive.length || archive.readUInt32LE(at) !== ENTRY) throw damaged();
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const start = at + ENTRY_LENGTH;
    entries.set(archive.toString('utf8', start, start + (name ?? 0)), {
      method: archive.readUInt16LE(at + 10),
      compressed: archive.readUInt32LE(at + 20),
      size: archive.readUInt32LE(at + 24),
      offset: archive.readUInt32LE(at + 42),
    });
    at = start + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}

function endOf(archive: Buffer): number {
  const lowest = Math.max(0, archive.length - END_LENGTH - MAX_COMMENT);
  for (let at = archive.length - END_LENGTH; at >= lowest; at--) {
    if (archive.readUInt32LE(at) === END) return at;
  }
  throw damaged();
}

async function extract(
  archive: Buffer,
  { method, compressed, size, offset }: Entry,
  name: string,
): Promise<Buffer> {
  if (size > MAX_FILE_BYTES)
    throw inputError(`${name} in the package is larger than ${MAX_FILE_BYTES} bytes.`);
  if (offset + HEADER_LENGTH > archive.length) throw damaged();
  const start =
    offset + HEADER_LENGTH + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  const bytes = archive.subarray(start, start + compressed);
  if (method === STORED) return bytes;
  if (method !== DEFLATED) throw damaged();
  const file = await inflate(bytes, { maxOutputLength: MAX_FILE_BYTES }).catch((error: unknown) => {
    throw damaged(error);
  });
  if (file.length !== size) throw damaged();
  return file;
}

const damaged = (cause?: unknown): Error => inputError('The package is not a valid ZIP archive.', cause);
