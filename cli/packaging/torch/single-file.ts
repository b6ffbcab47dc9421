import type { ByteSource } from '#contract/container/byte-source.ts';
import { readStateDict, type TorchContents } from './state-dict.ts';
import { damaged, PickleDict, PickleError, PickleList, type PickleValue, unpickle } from './unpickle.ts';
import type { ZipEntry } from './zip-entries.ts';

/**
 * Pickles of the format's magic number and of its version 1001, the start of each file that torch
 * versions before 1.6 wrote.
 */
const START = Buffer.from('80028a0a6cfc9c46f9206aa850192e80024de9032e', 'hex');
/** Bytes of the number of values before the values of a storage. */
const COUNT_BYTES = 8;

/** Whether a file has the format of torch versions before 1.6. */
export const isSingleFile = (source: ByteSource): boolean =>
  source.size > START.length && source.readAt(0, START.length).every((byte, at) => byte === START[at]);

/**
 * Reads the pickles of such a file: the sizes of C types on the machine that wrote it, the state
 * dict, and the names of the storages, whose values follow in this order.
 */
export function readSingleFile(source: ByteSource, maxBytes: number): TorchContents {
  const bytes = source.readAt(0, Math.min(source.size, maxBytes));
  const machine = unpickle(bytes, NO_CALLS, START.length);
  if (!(machine.value instanceof PickleDict)) throw damaged();
  if (machine.value.entries.get('little_endian') !== true)
    throw new PickleError('it was saved on a machine with a different byte order');
  const { tensors, storages, end } = readStateDict(bytes, machine.end);
  const names = unpickle(bytes, NO_CALLS, end);
  return { tensors, storages: placeStorages(source, names, storages) };
}

function placeStorages(
  source: ByteSource,
  { value, end }: { readonly value: PickleValue; readonly end: number },
  sizes: ReadonlyMap<string, number>,
): Map<string, ZipEntry> {
  const places = new Map<string, ZipEntry>();
  let at = end;
  for (const name of value instanceof PickleList ? value.items : []) {
    const size = typeof name === 'string' ? sizes.get(name) : undefined;
    if (typeof name !== 'string' || size === undefined || at + COUNT_BYTES > source.size) throw damaged();
    const view = new DataView(source.readAt(at, COUNT_BYTES).buffer);
    const length = Number(view.getBigInt64(0, true)) * size;
    at += COUNT_BYTES;
    if (length < 0 || at + length > source.size)
      throw new PickleError('it does not contain all values of a tensor');
    places.set(name, { offset: at, length });
    at += length;
  }
  return places;
}

const NO_CALLS = {
  calls: new Map(),
  load: (): never => {
    throw damaged();
  },
};
