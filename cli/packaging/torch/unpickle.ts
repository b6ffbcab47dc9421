import { pushAll } from '#core/values/push-all.ts';

/** A value that a state dict's pickle can contain. The caller of `unpickle` creates tensors and storages. */
export type PickleValue =
  | null
  | boolean
  | number
  | string
  | PickleTuple
  | PickleList
  | PickleDict
  | PickleGlobal
  | PickleObject;

export class PickleTuple {
  readonly items: readonly PickleValue[];

  constructor(items: readonly PickleValue[]) {
    this.items = items;
  }
}

export class PickleList {
  readonly items: PickleValue[] = [];
}

export class PickleDict {
  readonly entries = new Map<string, PickleValue>();
}

/** The name of a Python class or function, which is never imported. */
export class PickleGlobal {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value that only the caller of `unpickle` interprets. */
export class PickleObject {
  readonly content: object;

  constructor(content: object) {
    this.content = content;
  }
}

/** The reason why a pickle is rejected, as the second part of a sentence about its file. */
export class PickleError extends Error {}

/** Functions for the instructions of a pickle that do more than build strings, numbers, tuples and dicts. */
export interface PickleRules {
  /**
   * The Python functions and classes, by name, whose calls are accepted, and their results here.
   * Python code is never run.
   */
  readonly calls: ReadonlyMap<string, (args: readonly PickleValue[]) => PickleValue>;
  /** Returns the object that a persistent id stands for. */
  readonly load: (id: PickleValue) => PickleValue;
}

/** A value, and the position after its pickle. */
export interface Unpickled {
  readonly value: PickleValue;
  readonly end: number;
}

/**
 * Interprets the pickle instructions for plain data (see Python's pickletools), from position
 * `start`. All other instructions are rejected, because the format can call any Python function.
 */
export function unpickle(bytes: Uint8Array, rules: PickleRules, start = 0): Unpickled {
  const machine = new Machine(bytes, rules, start);
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
  #at: number;
  isDone = false;

  constructor(bytes: Uint8Array, rules: PickleRules, start: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#rules = rules;
    this.#at = start;
  }

  get result(): Unpickled {
    const [value] = this.#stack;
    if (value === undefined || this.#stack.length > 1)
      throw new PickleError('it must contain exactly one value');
    return { value, end: this.#at };
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
    // EMPTY_LIST, APPEND, APPENDS
    0x5d: () => this.#push(new PickleList()),
    0x61: () => this.#append(this.#pops(1)),
    0x65: () => this.#append(this.#popMarked()),
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

  #append(items: readonly PickleValue[]): void {
    const list = this.#stack.at(-1);
    if (!(list instanceof PickleList)) throw damaged();
    pushAll(list.items, items);
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

export const damaged = (): PickleError => new PickleError('its pickle is damaged');
const nameOf = ({ name }: PickleGlobal): string =>
  JSON.stringify(name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name);
