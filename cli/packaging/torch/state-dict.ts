import type { StoredType } from '../architectures/read-safetensors.ts';

/** A value that a state dict's pickle can contain. The caller of `unpickle` creates tensors and storages. */
type PickleValue = null | boolean | number | string | PickleTuple | PickleDict | PickleGlobal | PickleObject;

class PickleTuple {
  readonly items: readonly PickleValue[];

  constructor(items: readonly PickleValue[]) {
    this.items = items;
  }
}

class PickleDict {
  readonly entries = new Map<string, PickleValue>();
}

/** The name of a Python class or function, which is never imported. */
class PickleGlobal {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value that only the caller of `unpickle` interprets. */
class PickleObject {
  readonly content: object;

  constructor(content: object) {
    this.content = content;
  }
}

/** The reason why a pickle is rejected, as the second part of a sentence about its file. */
export class PickleError extends Error {}

/** A tensor in a state dict. Its values are a range of a storage, which is a file in the archive. */
export interface DictTensor {
  readonly type: StoredType;
  /** Name of the storage. */
  readonly storage: string;
  /** Number of values in the storage before the tensor's first value. */
  readonly start: number;
  readonly shape: readonly number[];
}

/** Reads the tensors of a pickled state dict by name. */
export function readStateDict(pickle: Uint8Array): Map<string, DictTensor> {
  const value = unpickle(pickle, { calls: CALLS, load: storageOf });
  if (!(value instanceof PickleDict)) throw new PickleError('it does not contain a state dict');
  return new Map(
    [...value.entries].map(([name, one]) => {
      const tensor = one instanceof PickleObject ? one.content : undefined;
      if (tensor instanceof RebuiltTensor) return [name, tensor];
      throw new PickleError(`${JSON.stringify(name.slice(0, 100))} in its state dict is not a tensor`);
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

/** Storage classes for weights. */
const TYPES: ReadonlyMap<string, StoredType> = new Map([
  ['torch.FloatStorage', 'F32'],
  ['torch.HalfStorage', 'F16'],
  ['torch.BFloat16Storage', 'BF16'],
  ['torch.DoubleStorage', 'F64'],
]);

/**
 * A persistent id: the word `storage`; class, name and original device of the storage; and its
 * number of values.
 */
function storageOf(id: PickleValue): PickleObject {
  const [word, kind, name] = id instanceof PickleTuple ? id.items : [];
  if (word !== 'storage' || !(kind instanceof PickleGlobal) || typeof name !== 'string') throw incomplete();
  const type = TYPES.get(kind.name);
  if (type) return new PickleObject(new Storage(type, name));
  throw new PickleError(
    `its tensors have the storage type ${JSON.stringify(kind.name.slice(0, 100))}, but must have one of ${[...TYPES.keys()].join(', ')}`,
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

/**
 * The arguments are the storage, the offset of the first value, shape and strides. Other arguments
 * do not affect the values.
 */
function rebuildTensor([stored, start, shape, strides]: readonly PickleValue[]): PickleObject {
  const storage = stored instanceof PickleObject ? stored.content : undefined;
  const sizes = sizesOf(shape);
  if (!(storage instanceof Storage) || !isSize(start)) throw incomplete();
  const steps = sizesOf(strides);
  // The stride of an axis of size 1 has no effect.
  const isInOrder = contiguous(sizes).every((step, axis) => sizes[axis] === 1 || steps[axis] === step);
  if (steps.length !== sizes.length || !isInOrder) {
    throw new PickleError('a tensor is not contiguous (call contiguous() before saving it)');
  }
  return new PickleObject(new RebuiltTensor(storage, start, sizes));
}

function parameterData([data]: readonly PickleValue[]): PickleObject {
  if (data instanceof PickleObject && data.content instanceof RebuiltTensor) return data;
  throw incomplete();
}

/** The strides of a contiguous tensor. */
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

const incomplete = (): PickleError => new PickleError('a tensor in its pickle is incomplete');

/** Functions for the instructions of a pickle that do more than build strings, numbers, tuples and dicts. */
interface PickleRules {
  /**
   * The Python functions and classes, by name, whose calls are accepted, and their results here.
   * Python code is never run.
   */
  readonly calls: ReadonlyMap<string, (args: readonly PickleValue[]) => PickleValue>;
  /** Returns the object that a persistent id stands for. */
  readonly load: (id: PickleValue) => PickleValue;
}

/**
 * Interprets the pickle instructions for plain data (see Python's pickletools). All other
 * instructions are rejected, because the format can call any Python function.
 */
function unpickle(bytes: Uint8Array, rules: PickleRules): PickleValue {
  const machine = new Machine(bytes, rules);
  while (!machine.isDone) machine.step();
  return machine.result;
}

class Machine {
  readonly #view: DataView;
  readonly #rules: PickleRules;
  readonly #stack: PickleValue[] = [];
  /** Start positions of unfinished item lists. */
  readonly #marks: number[] = [];
  readonly #memo = new Map<number, PickleValue>();
  #at = 0;
  isDone = false;

  constructor(bytes: Uint8Array, rules: PickleRules) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#rules = rules;
  }

  get result(): PickleValue {
    const [value, ...others] = this.#stack;
    if (value === undefined || others.length > 0) throw new PickleError('it must contain exactly one value');
    return value;
  }

  step(): void {
    const code = this.#byte();
    const instruction = this.#instructions[code];
    if (!instruction) {
      throw new PickleError(
        `its pickle contains the opcode 0x${code.toString(16).padStart(2, '0')}, which a state dict of tensors does not need`,
      );
    }
    instruction();
  }

  readonly #instructions: Readonly<Record<number, () => void>> = {
    // PROTO
    0x80: () => {
      const version = this.#byte();
      if (version < 2 || version > 5)
        throw new PickleError(`its pickle protocol ${version} is not supported`);
    },
    // FRAME
    0x95: () => void this.#take(8),
    // STOP
    0x2e: () => {
      this.isDone = true;
    },
    // MARK
    0x28: () => void this.#marks.push(this.#stack.length),
    // NONE, NEWTRUE, NEWFALSE
    0x4e: () => this.#push(null),
    0x88: () => this.#push(true),
    0x89: () => this.#push(false),
    // BININT1, BININT2, BININT, LONG1
    0x4b: () => this.#push(this.#byte()),
    0x4d: () => this.#push(this.#view.getUint16(this.#take(2), true)),
    0x4a: () => this.#push(this.#view.getInt32(this.#take(4), true)),
    0x8a: () => this.#push(this.#long(this.#byte())),
    // BINUNICODE, SHORT_BINUNICODE
    0x58: () => this.#push(this.#text(this.#uint32())),
    0x8c: () => this.#push(this.#text(this.#byte())),
    // EMPTY_TUPLE, TUPLE1, TUPLE2, TUPLE3, TUPLE
    0x29: () => this.#push(new PickleTuple([])),
    0x85: () => this.#push(new PickleTuple(this.#pops(1))),
    0x86: () => this.#push(new PickleTuple(this.#pops(2))),
    0x87: () => this.#push(new PickleTuple(this.#pops(3))),
    0x74: () => this.#push(new PickleTuple(this.#popMarked())),
    // EMPTY_DICT, SETITEM, SETITEMS
    0x7d: () => this.#push(new PickleDict()),
    0x73: () => this.#setItems(this.#pops(2)),
    0x75: () => this.#setItems(this.#popMarked()),
    // BUILD: ignores the attributes of a dict, such as module versions, because they are not tensors.
    0x62: () => {
      this.#pop();
      if (!(this.#stack.at(-1) instanceof PickleDict)) throw new PickleError('it sets attributes on a value');
    },
    // BINPUT, LONG_BINPUT, MEMOIZE, BINGET, LONG_BINGET
    0x71: () => this.#remember(this.#byte()),
    0x72: () => this.#remember(this.#uint32()),
    0x94: () => this.#remember(this.#memo.size),
    0x68: () => this.#recall(this.#byte()),
    0x6a: () => this.#recall(this.#uint32()),
    // GLOBAL, STACK_GLOBAL
    0x63: () => this.#push(new PickleGlobal(`${this.#line()}.${this.#line()}`)),
    0x93: () => {
      const [module, name] = this.#pops(2);
      if (typeof module !== 'string' || typeof name !== 'string') throw damaged();
      this.#push(new PickleGlobal(`${module}.${name}`));
    },
    // BINPERSID
    0x51: () => this.#push(this.#rules.load(this.#pop())),
    // REDUCE
    0x52: () => {
      const [callee, args] = this.#pops(2);
      if (!(callee instanceof PickleGlobal) || !(args instanceof PickleTuple)) throw damaged();
      const call = this.#rules.calls.get(callee.name);
      if (!call)
        throw new PickleError(
          `it calls the Python function ${nameOf(callee)}, which a state dict of tensors does not need`,
        );
      this.#push(call(args.items));
    },
  };

  #push(value: PickleValue): void {
    this.#stack.push(value);
  }

  #pop(): PickleValue {
    return this.#pops(1)[0] ?? null;
  }

  #pops(count: number): PickleValue[] {
    // Items before the last mark belong to another unfinished list.
    if (this.#stack.length - count < (this.#marks.at(-1) ?? 0)) throw damaged();
    return this.#stack.splice(this.#stack.length - count);
  }

  #popMarked(): PickleValue[] {
    const mark = this.#marks.pop();
    if (mark === undefined) throw damaged();
    return this.#stack.splice(mark);
  }

  #setItems(items: readonly PickleValue[]): void {
    const dict = this.#stack.at(-1);
    if (!(dict instanceof PickleDict) || items.length % 2 !== 0) throw damaged();
    for (let at = 0; at < items.length; at += 2) {
      const [key, value] = [items[at], items[at + 1]];
      if (typeof key !== 'string' || value === undefined)
        throw new PickleError('it has a key that is not a string');
      dict.entries.set(key, value);
    }
  }

  #remember(index: number): void {
    const value = this.#stack.at(-1);
    if (value === undefined) throw damaged();
    this.#memo.set(index, value);
  }

  #recall(index: number): void {
    const value = this.#memo.get(index);
    if (value === undefined) throw damaged();
    this.#push(value);
  }

  /** Returns the position of the next `count` bytes and skips them. */
  #take(count: number): number {
    const start = this.#at;
    if (count > this.#view.byteLength - start) throw damaged();
    this.#at += count;
    return start;
  }

  #byte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  #uint32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  #text(length: number): string {
    const start = this.#view.byteOffset + this.#take(length);
    return new TextDecoder().decode(new Uint8Array(this.#view.buffer, start, length));
  }

  #line(): string {
    const start = this.#at;
    while (this.#byte() !== NEWLINE);
    const length = this.#at - 1 - start;
    return new TextDecoder().decode(new Uint8Array(this.#view.buffer, this.#view.byteOffset + start, length));
  }

  /** Reads a number of up to eight bytes, which is sufficient for tensor sizes. */
  #long(length: number): number {
    if (length > 8) throw damaged();
    const start = this.#take(length);
    let value = 0n;
    for (let at = 0; at < length; at++) value |= BigInt(this.#view.getUint8(start + at)) << BigInt(8 * at);
    return Number(BigInt.asIntN(8 * length, value));
  }
}

const NEWLINE = 0x0a;
const MAX_SHOWN_NAME = 100;

const damaged = (): PickleError => new PickleError('its pickle is damaged');
const nameOf = ({ name }: PickleGlobal): string =>
  JSON.stringify(name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name);
