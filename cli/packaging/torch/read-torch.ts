import { basename } from 'node:path';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { configError } from '#contract/errors.ts';
import { STORED_TYPES, type StoredTensor } from '../architectures/stored-tensor.ts';
import { isSingleFile, readSingleFile } from './single-file.ts';
import { type DictTensor, readStateDict, type TorchContents } from './state-dict.ts';
import { PickleError } from './unpickle.ts';
import { type ZipEntry, zipEntries } from './zip-entries.ts';

/** Maximum size of a pickle. A state dict takes 100 to 200 bytes per tensor. */
const MAX_PICKLE_BYTES = 8_000_000;
const PICKLE = '/data.pkl';

/**
 * Reads the names and positions of the tensors in a state dict that `torch.save` wrote: a zip archive
 * with a pickle, or the single-file format of torch versions before 1.6. In Python, a pickle can run any code;
 * this function only interprets the instructions that describe tensors.
 */
export function readTorch(source: ByteSource): Map<string, StoredTensor> {
  try {
    const { tensors, storages } = isSingleFile(source)
      ? readSingleFile(source, MAX_PICKLE_BYTES)
      : readArchive(source);
    return new Map(
      [...tensors].map(([name, tensor]) => [name, placeOf(tensor, storages.get(tensor.storage), source)]),
    );
  } catch (error) {
    throw error instanceof PickleError ? refused(source, error.message) : error;
  }
}

function readArchive(source: ByteSource): TorchContents {
  const entries = zipEntries(source);
  if (!entries) throw new PickleError(whatItIs(source));
  const [pickle, ...others] = [...entries.keys()].filter((name) => name.endsWith(PICKLE));
  if (pickle === undefined || others.length > 0)
    throw new PickleError('it does not contain exactly one data.pkl');
  const folder = pickle.slice(0, -PICKLE.length);
  const read = (name: string, maxBytes: number): Uint8Array | undefined => {
    const entry = entries.get(`${folder}/${name}`);
    return entry && entry.length <= maxBytes ? source.readAt(entry.offset, entry.length) : undefined;
  };
  const order = read('byteorder', 16);
  if (order && new TextDecoder().decode(order) !== 'little')
    throw new PickleError('it was saved on a machine with a different byte order');
  const bytes = read('data.pkl', MAX_PICKLE_BYTES);
  if (!bytes) throw new PickleError(`its data.pkl has more than ${MAX_PICKLE_BYTES} bytes`);
  const { tensors } = readStateDict(bytes);
  return { tensors, storages: { get: (name) => entries.get(`${folder}/data/${name}`) } };
}

function placeOf(
  { type, shape, axes, start }: DictTensor,
  storage: ZipEntry | undefined,
  { name }: ByteSource,
): StoredTensor {
  const { bytes } = STORED_TYPES[type];
  const length = shape.reduce((product, size) => product * size, bytes);
  const from = start * bytes;
  if (!storage || from + length > storage.length)
    throw new PickleError('it does not contain all values of a tensor');
  return { file: name, type, shape, ...(axes ? { axes } : {}), offset: storage.offset + from, length };
}

/** Why a file that is not a torch archive is rejected. */
function whatItIs(source: ByteSource): string {
  const start = source.readAt(0, Math.min(source.size, 40));
  return new TextDecoder().decode(start).startsWith('version https://git-lfs')
    ? 'it is a Git LFS pointer; run `git lfs pull`'
    : 'it is not an uncompressed zip archive as written by torch';
}

const refused = ({ name }: ByteSource, reason: string): Error =>
  configError(
    `Cannot read ${name}: ${reason}. Download ${basename(name)} again, or save the weights with torch.save(model.state_dict(), path).`,
  );
