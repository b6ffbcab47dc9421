import type { StoredType } from '../architectures/stored-tensor.ts';
import {
  PickleDict,
  PickleError,
  PickleGlobal,
  PickleObject,
  type PickleRules,
  PickleTuple,
  type PickleValue,
  unpickle,
} from './unpickle.ts';
import type { ZipEntry } from './zip-entries.ts';

/** A tensor in a state dict. Its values are a range of a storage. */
export interface DictTensor {
  readonly type: StoredType;
  /** Name of the storage. */
  readonly storage: string;
  /** Number of values in the storage before the tensor's first value. */
  readonly start: number;
  readonly shape: readonly number[];
  /** The order in which the storage has the axes, if it is not the tensor's own. */
  readonly axes?: readonly number[];
}

/** The tensors of a file, and the ranges of the storages that contain their values. */
export interface TorchContents {
  readonly tensors: ReadonlyMap<string, DictTensor>;
  readonly storages: { get(name: string): ZipEntry | undefined };
}

/** The contents of a pickled state dict. */
export interface StateDict {
  /** Tensors by name, without those whose type is not used for weights. */
  readonly tensors: ReadonlyMap<string, DictTensor>;
  /** The number of bytes of a value in each storage. */
  readonly storages: ReadonlyMap<string, number>;
  /** The position after the pickle. */
  readonly end: number;
}

/** Reads the tensors of a pickled state dict by name. */
export function readStateDict(pickle: Uint8Array, start = 0): StateDict {
  const storages = new Map<string, number>();
  const load = (id: PickleValue): PickleObject => {
    const storage = storageOf(id);
    storages.set(storage.name, storage.bytes);
    return new PickleObject(storage);
  };
  const { value, end } = unpickle(pickle, { calls: CALLS, load }, start);
  if (!(value instanceof PickleDict)) throw new PickleError('it does not contain a state dict');
  const tensors = new Map<string, DictTensor>();
  for (const [name, one] of value.entries) {
    const tensor = one instanceof PickleObject ? one.content : undefined;
    if (tensor instanceof RebuiltTensor) {
      const placed = tensor.placed();
      if (placed) tensors.set(name, placed);
    } else {
      throw new PickleError(`${JSON.stringify(name.slice(0, 100))} in its state dict is not a tensor`);
    }
  }
  return { tensors, storages, end };
}

interface StorageKind {
  /** Undefined for types that weights do not have. */
  readonly type?: StoredType;
  readonly bytes: number;
}

/** Storage classes for weights, and for masks and positions, which are stored with weights. */
const STORAGES: ReadonlyMap<string, StorageKind> = new Map<string, StorageKind>([
  ['torch.FloatStorage', { type: 'F32', bytes: 4 }],
  ['torch.HalfStorage', { type: 'F16', bytes: 2 }],
  ['torch.BFloat16Storage', { type: 'BF16', bytes: 2 }],
  ['torch.DoubleStorage', { type: 'F64', bytes: 8 }],
  ['torch.CharStorage', { type: 'I8', bytes: 1 }],
  ['torch.IntStorage', { type: 'I32', bytes: 4 }],
  ['torch.LongStorage', { type: 'I64', bytes: 8 }],
  ['torch.ShortStorage', { bytes: 2 }],
  ['torch.ByteStorage', { bytes: 1 }],
  ['torch.BoolStorage', { bytes: 1 }],
]);

class Storage {
  readonly type: StoredType | undefined;
  readonly bytes: number;
  readonly name: string;

  constructor({ type, bytes }: StorageKind, name: string) {
    this.type = type;
    this.bytes = bytes;
    this.name = name;
  }
}

/**
 * A persistent id: the word `storage`; class, name and original device of the storage; and its
 * number of values. The format before torch 1.6 adds the range of a larger storage, or null.
 */
function storageOf(id: PickleValue): Storage {
  const [word, kind, name, , , range] = id instanceof PickleTuple ? id.items : [];
  if (word !== 'storage' || !(kind instanceof PickleGlobal) || typeof name !== 'string' || range)
    throw incomplete();
  const known = STORAGES.get(kind.name);
  if (known) return new Storage(known, name);
  throw new PickleError(
    `its tensors have the storage type ${JSON.stringify(kind.name.slice(0, 100))}, but must have one of ${[...STORAGES.keys()].join(', ')}`,
  );
}

class RebuiltTensor {
  readonly #storage: Storage;
  readonly #start: number;
  readonly #shape: readonly number[];
  readonly #strides: readonly number[];

  constructor(storage: Storage, start: number, shape: readonly number[], strides: readonly number[]) {
    this.#storage = storage;
    this.#start = start;
    this.#shape = shape;
    this.#strides = strides;
  }

  /** The tensor's place in its storage; undefined if its type is not used for weights. */
  placed(): DictTensor | undefined {
    const { type, name } = this.#storage;
    if (!type) return undefined;
    const axes = storedAxes(this.#shape, this.#strides);
    return {
      type,
      storage: name,
      start: this.#start,
      shape: this.#shape,
      ...(axes.every((axis, at) => axis === at) ? {} : { axes }),
    };
  }
}

/**
 * The order in which a storage has the axes of a tensor. Weights that were converted from
 * TensorFlow are often transposed. Tensors with gaps or repeated values are rejected.
 */
function storedAxes(shape: readonly number[], strides: readonly number[]): number[] {
  const all = shape.map((_, axis) => axis);
  if (shape.includes(0)) return all;
  const stride = (axis: number): number => strides[axis] ?? 0;
  // The stride of an axis of size 1 has no effect.
  const sorted = all.filter((axis) => shape[axis] !== 1).toSorted((a, b) => stride(b) - stride(a));
  const isWhole = sorted.every((axis, at) => {
    const inner = sorted.slice(at + 1).reduce((product, other) => product * (shape[other] ?? 0), 1);
    return stride(axis) === inner;
  });
  if (!isWhole)
    throw new PickleError(
      'a tensor has gaps or repeated values in its storage (call contiguous() before saving it)',
    );
  const isInOrder = sorted.every((axis, at) => at === 0 || axis > (sorted[at - 1] ?? 0));
  return isInOrder ? all : [...all.filter((axis) => shape[axis] === 1), ...sorted];
}

const CALLS: PickleRules['calls'] = new Map<string, (args: readonly PickleValue[]) => PickleValue>([
  ['collections.OrderedDict', emptyDict],
  ['torch._utils._rebuild_tensor', rebuildTensor],
  ['torch._utils._rebuild_tensor_v2', rebuildTensor],
  ['torch._utils._rebuild_parameter', parameterData],
]);

function emptyDict(args: readonly PickleValue[]): PickleDict {
  if (args.length > 0) throw incomplete();
  return new PickleDict();
}

/**
 * The arguments are the storage, the offset of the first value, shape and strides. Other arguments
 * do not affect the values.
 */
function rebuildTensor([stored, start, shape, strides]: readonly PickleValue[]): PickleObject {
  const storage = stored instanceof PickleObject ? stored.content : undefined;
  const sizes = sizesOf(shape);
  const steps = sizesOf(strides);
  if (!(storage instanceof Storage) || !isSize(start) || steps.length !== sizes.length) throw incomplete();
  return new PickleObject(new RebuiltTensor(storage, start, sizes, steps));
}

function parameterData([data]: readonly PickleValue[]): PickleObject {
  if (data instanceof PickleObject && data.content instanceof RebuiltTensor) return data;
  throw incomplete();
}

function sizesOf(value: PickleValue | undefined): number[] {
  const items = value instanceof PickleTuple ? value.items : [];
  if (!(value instanceof PickleTuple) || items.length > MAX_AXES || !items.every(isSize)) throw incomplete();
  return [...items];
}

const MAX_AXES = 8;
const isSize = (value: PickleValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const incomplete = (): PickleError => new PickleError('a tensor in its pickle is incomplete');
