import { basename } from 'node:path';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { configError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { STORED_TYPES, type StoredTensor, type StoredType } from './stored-tensor.ts';

/**
 * The format's own limit on the size of a header. Headers with the names of all tensors take a few
 * megabytes at most.
 */
const MAX_HEADER_BYTES = 100_000_000;
const LENGTH_BYTES = 8;

/**
 * Reads the names and positions of the tensors in a safetensors file. Skips tensors whose type is
 * not used for weights.
 */
export function readSafetensors(source: ByteSource): Map<string, StoredTensor> {
  const header = readHeader(source);
  const tensors = new Map<string, StoredTensor>();
  for (const [name, entry] of Object.entries(header.entries)) {
    if (name === '__metadata__') continue;
    const tensor = readEntry(source, header.end, name, entry);
    if (tensor) tensors.set(name, tensor);
  }
  return tensors;
}

function readHeader(source: ByteSource): { entries: Record<string, unknown>; end: number } {
  if (source.size < LENGTH_BYTES) throw damaged(source, 'it has no header');
  const lengthBytes = source.readAt(0, LENGTH_BYTES);
  const length = new DataView(lengthBytes.buffer).getBigUint64(0, true);
  if (length > BigInt(Math.min(MAX_HEADER_BYTES, source.size - LENGTH_BYTES))) {
    throw damaged(source, startsAsPointer(source) ?? 'its header is longer than the file');
  }
  const text = new TextDecoder().decode(source.readAt(LENGTH_BYTES, Number(length)));
  const entries = parseObject(text);
  if (!entries) throw damaged(source, 'its header is not a JSON object');
  return { entries, end: LENGTH_BYTES + Number(length) };
}

/** A clone without Git LFS contains a short text file with the hash instead of the weights. */
function startsAsPointer(source: ByteSource): string | undefined {
  const start = new TextDecoder().decode(source.readAt(0, Math.min(source.size, 40)));
  return start.startsWith('version https://git-lfs')
    ? 'it is a Git LFS pointer; run `git lfs pull`'
    : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJsonText(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readEntry(
  source: ByteSource,
  start: number,
  name: string,
  entry: unknown,
): StoredTensor | undefined {
  const { dtype, shape, data_offsets: offsets } = isRecord(entry) ? entry : {};
  if (!isSizes(shape) || !isSizes(offsets) || offsets.length !== 2) {
    throw damaged(source, `the entry of ${name} is incomplete`);
  }
  if (!isStoredType(dtype)) return undefined;
  const [from = 0, to = 0] = offsets;
  const length = shape.reduce((product, size) => product * size, STORED_TYPES[dtype].bytes);
  if (to - from !== length || start + to > source.size) {
    throw damaged(source, `it does not contain all bytes of ${name}`);
  }
  return { file: source.name, type: dtype, shape, offset: start + from, length };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSizes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);

const damaged = ({ name }: ByteSource, reason: string): Error =>
  configError(`${name} is damaged: ${reason}. Download ${basename(name)} again.`);

const isStoredType = (name: unknown): name is StoredType =>
  typeof name === 'string' && Object.hasOwn(STORED_TYPES, name);
