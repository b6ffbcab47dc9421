import { basename } from 'node:path';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { configError } from '#contract/errors.ts';
import { STORED_TYPES, type StoredTensor } from '../architectures/read-safetensors.ts';
import { PickleError, type DictTensor, readStateDict } from './state-dict.ts';

/** Maximum size of a pickle. A state dict takes about 100 bytes per tensor. */
const MAX_PICKLE_BYTES = 1_000_000;
const PICKLE = '/data.pkl';

/**
 * Reads the names and positions of the tensors in a state dict that `torch.save` wrote. The file is
 * a zip archive with a pickle. In Python, a pickle can run any code; this function only interprets
 * the instructions that describe tensors.
 */
export function readTorch(source: ByteSource): Map<string, StoredTensor> {
  const entries = zipEntries(source);
  if (!entries) throw refused(source, whatItIs(source));
  const [pickle, ...others] = [...entries.keys()].filter((name) => name.endsWith(PICKLE));
  if (pickle === undefined || others.length > 0)
    throw refused(source, 'it does not contain exactly one data.pkl');
  const folder = pickle.slice(0, -PICKLE.length);
  const read = (name: string, maxBytes: number): Uint8Array | undefined => {
    const entry = entries.get(`${folder}/${name}`);
    return entry && entry.length <= maxBytes ? source.readAt(entry.offset, entry.length) : undefined;
  };
  const order = read('byteorder', 16);
  if (order && new TextDecoder().decode(order) !== 'little') {
    throw refused(source, 'it was saved on a machine with a different byte order');
  }
  const bytes = read('data.pkl', MAX_PICKLE_BYTES);
  if (!bytes) throw refused(source, `its data.pkl has more than ${MAX_PICKLE_BYTES} bytes`);
  try {
    return new Map(
      [...readStateDict(bytes)].map(([name, tensor]) => [
        name,
        placeOf(tensor, entries.get(`${folder}/data/${tensor.storage}`), source),
      ]),
    );
  } catch (error) {
    throw error instanceof PickleError ? refused(source, error.message) : error;
  }
}

function placeOf(
  { type, shape, start }: DictTensor,
  storage: ZipEntry | undefined,
  { name }: ByteSource,
): StoredTensor {
  const { bytes } = STORED_TYPES[type];
  const length = shape.reduce((product, size) => product * size, bytes);
  const from = start * bytes;
  if (!storage || from + length > storage.length)
    throw new PickleError('it does not contain all values of a tensor');
  return { file: name, type, shape, offset: storage.offset + from, length };
}

/** Why a file that is not a torch archive is rejected. */
function whatItIs(source: ByteSource): string {
  const start = source.readAt(0, Math.min(source.size, 40));
  if (new TextDecoder().decode(start).startsWith('version https://git-lfs'))
    return 'it is a Git LFS pointer; run `git lfs pull`';
  // PROTO and the first value of the format before torch 1.6.
  if (start[0] === 0x80 && start[2] === 0x8a)
    return 'it uses the single-pickle format of torch versions before 1.6';
  return 'it is not an uncompressed zip archive as written by torch';
}

const refused = ({ name }: ByteSource, reason: string): Error =>
  configError(
    `Cannot read ${name}: ${reason}. Download ${basename(name)} again, or save the layer with torch.save(layer.state_dict(), path).`,
  );

/** Byte range of an entry in an archive. */
interface ZipEntry {
  readonly offset: number;
  readonly length: number;
}

/** Length of the record at the end of an archive. torch writes it without a comment. */
const END = { signature: 0x06054b50, bytes: 22 };
const DIRECTORY = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
/** Maximum number of entries. A torch archive has one entry per tensor, and a few more. */
const MAX_ENTRIES = 10_000;
const MAX_DIRECTORY_BYTES = 4_000_000;

/**
 * Finds the files in a zip archive without compression, as written by torch; undefined for any
 * other kind of file.
 */
function zipEntries(source: ByteSource): Map<string, ZipEntry> | undefined {
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

/** Returns the entry whose record is at this position in the archive's directory. */
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
