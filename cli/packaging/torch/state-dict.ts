import type { StoredType } from '../architectures/stored-tensor.ts';
import {
  PickleDict,
  PickleError,
  PickleGlobal,
  PickleObject,
  PickleTuple,
  type PickleValue,
} from './pickle-value.ts';
import { type PickleRules, unpickle } from './unpickle.ts';

/** A tensor of a state dict: a range of a storage, which is a file of the archive. */
export interface DictTensor {
  readonly type: StoredType;
  /** Name of the storage. */
  readonly storage: string;
  /** Number of values of the storage before the first one of the tensor. */
  readonly start: number;
  readonly shape: readonly number[];
}

/** Reads the tensors of a pickled state dict by their names. */
export function readStateDict(pickle: Uint8Array): Map<string, DictTensor> {
  const value = unpickle(pickle, { calls: CALLS, load: storageOf });
  if (!(value instanceof PickleDict)) throw new PickleError('it is not a state dict, but another value');
  return new Map(
    [...value.entries].map(([name, one]) => {
      const tensor = one instanceof PickleObject ? one.content : undefined;
      if (tensor instanceof RebuiltTensor) return [name, tensor];
      throw new PickleError(`${JSON.stringify(name.slice(0, 100))} of its state dict is not a tensor`);
    }),
  );
}

class Storage {
  readonly type: StoredType;
  readonly name: string;

  constructor(type: StoredType, name: string) {
    this.type = type;
    this.name = name;
  }
}

class RebuiltTensor implements DictTensor {
  readonly type: StoredType;
  readonly storage: string;
  readonly start: number;
  readonly shape: readonly number[];

  constructor({ type, name }: Storage, start: number, shape: readonly number[]) {
    this.type = type;
    this.storage = name;
    this.start = start;
    this.shape = shape;
  }
}

/** Classes of storages of weights. */
const TYPES: ReadonlyMap<string, StoredType> = new Map([
  ['torch.FloatStorage', 'F32'],
  ['torch.HalfStorage', 'F16'],
  ['torch.BFloat16Storage', 'BF16'],
  ['torch.DoubleStorage', 'F64'],
]);

/** A persistent id: the word `storage`, its class, its name, the device that it was on, and its number of values. */
function storageOf(id: PickleValue): PickleObject {
  const [word, kind, name] = id instanceof PickleTuple ? id.items : [];
  if (word !== 'storage' || !(kind instanceof PickleGlobal) || typeof name !== 'string') throw incomplete();
  const type = TYPES.get(kind.name);
  if (type) return new PickleObject(new Storage(type, name));
  throw new PickleError(
    `its tensors are of ${JSON.stringify(kind.name.slice(0, 100))}, but weights are of ${[...TYPES.keys()].join(', ')}`,
  );
}

const CALLS: PickleRules['calls'] = new Map<string, (args: readonly PickleValue[]) => PickleValue>([
  ['collections.OrderedDict', emptyDict],
  ['torch._utils._rebuild_tensor_v2', rebuildTensor],
  ['torch._utils._rebuild_parameter', parameterData],
]);

function emptyDict(args: readonly PickleValue[]): PickleDict {
  if (args.length > 0) throw incomplete();
  return new PickleDict();
}

/** Storage, number of values before the first one, shape and strides; the others do not change the values. */
function rebuildTensor([stored, start, shape, strides]: readonly PickleValue[]): PickleObject {
  const storage = stored instanceof PickleObject ? stored.content : undefined;
  const sizes = sizesOf(shape);
  if (!(storage instanceof Storage) || !isSize(start)) throw incomplete();
  const steps = sizesOf(strides);
  // The stride of an axis with one position has no effect.
  const isInOrder = contiguous(sizes).every((step, axis) => sizes[axis] === 1 || steps[axis] === step);
  if (steps.length !== sizes.length || !isInOrder) {
    throw new PickleError('the values of a tensor are not in its order (call contiguous() before saving it)');
  }
  return new PickleObject(new RebuiltTensor(storage, start, sizes));
}

function parameterData([data]: readonly PickleValue[]): PickleObject {
  if (data instanceof PickleObject && data.content instanceof RebuiltTensor) return data;
  throw incomplete();
}

/** The strides of a tensor whose values are in order. */
const contiguous = (sizes: readonly number[]): number[] =>
  sizes.map((_, axis) => sizes.slice(axis + 1).reduce((product, size) => product * size, 1));

function sizesOf(value: PickleValue | undefined): number[] {
  const items = value instanceof PickleTuple ? value.items : [];
  if (!(value instanceof PickleTuple) || items.length > MAX_AXES || !items.every(isSize)) throw incomplete();
  return [...items];
}

const MAX_AXES = 8;
const isSize = (value: PickleValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const incomplete = (): PickleError => new PickleError('a tensor of its pickle is incomplete');
