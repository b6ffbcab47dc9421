import { basename } from 'node:path';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { configError } from '#contract/errors.ts';
import { STORED_TYPES, type StoredTensor } from '../architectures/stored-tensor.ts';
import { PickleError } from './pickle-value.ts';
import { type DictTensor, readStateDict } from './state-dict.ts';
import { type ZipEntry, zipEntries } from './zip-entries.ts';

/** The pickle of a state dict has about 100 bytes for each tensor. */
const MAX_PICKLE_BYTES = 1_000_000;
const PICKLE = '/data.pkl';

/**
 * Reads the names and places of the tensors in a file that `torch.save` wrote for a state dict. It is a zip archive with a pickle, which can
 * run any code in Python: here, only the instructions that describe tensors are interpreted.
 */
export function readTorch(source: ByteSource): Map<string, StoredTensor> {
  const entries = zipEntries(source);
  if (!entries) throw refused(source, whatItIs(source));
  const [pickle, ...others] = [...entries.keys()].filter((name) => name.endsWith(PICKLE));
  if (pickle === undefined || others.length > 0) throw refused(source, 'it has no single data.pkl');
  const folder = pickle.slice(0, -PICKLE.length);
  const read = (name: string, maxBytes: number): Uint8Array | undefined => {
    const entry = entries.get(`${folder}/${name}`);
    return entry && entry.length <= maxBytes ? source.readAt(entry.offset, entry.length) : undefined;
  };
  const order = read('byteorder', 16);
  if (order && new TextDecoder().decode(order) !== 'little') {
    throw refused(source, 'it was saved on a machine with another byte order');
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
    throw new PickleError('the values of a tensor are not in it');
  return { file: name, type, shape, offset: storage.offset + from, length };
}

/** Why a file is not read that is not an archive of torch. */
function whatItIs(source: ByteSource): string {
  const start = source.readAt(0, Math.min(source.size, 40));
  if (new TextDecoder().decode(start).startsWith('version https://git-lfs'))
    return 'it is a pointer of Git LFS; run `git lfs pull`';
  // PROTO, and the first value of the format before version 1.6 of torch.
  if (start[0] === 0x80 && start[2] === 0x8a)
    return 'it has the format of torch before 1.6, which is one pickle';
  return 'it is not a zip archive with files that are stored without compression, as torch writes it';
}

const refused = ({ name }: ByteSource, reason: string): Error =>
  configError(
    `${name} is not read: ${reason}. Download ${basename(name)} again, or save the layer with torch.save(layer.state_dict(), path).`,
  );
