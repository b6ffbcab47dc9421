import { isObject } from '#core/json/is-object.ts';
import { lookup } from '#core/values/lookup.ts';
import { UnusableOperation } from './plan.ts';

/** A value in a document, with the file that relative references in it refer to. */
export interface Located<Value = unknown> {
  readonly value: Value;
  /** Key of the file; empty for the document itself. */
  readonly file: string;
}

/** The target of a reference. */
export interface Target extends Located {
  /** The file and the JSON Pointer, which identify the target. */
  readonly id: string;
  /** The last segment of the pointer, or the file's name. */
  readonly name: string;
}

/** Reads another file of the document by the path in a reference. Returns its content and its key. */
export type ReadFile = (path: string, from: string) => Located;

/** Maximum number of references that lead from one to the next. */
const MAX_CHAIN = 20;

/** Resolves `$ref`s within a document. */
export class References {
  readonly #root: unknown;
  readonly #read: ReadFile;

  constructor(root: unknown, read: ReadFile) {
    this.#root = root;
    this.#read = read;
  }

  /** Returns the target of a reference, which can be a reference as well. Throws if it does not exist. */
  target(ref: string, from: string): Target {
    const hash = ref.indexOf('#');
    const path = hash === -1 ? ref : ref.slice(0, hash);
    const pointer = hash === -1 ? '' : ref.slice(hash + 1);
    const { value, file } = path === '' ? this.#file(from) : this.#read(path, from);
    const steps = stepsOf(pointer, ref);
    let found = value;
    for (const step of steps) {
      found =
        Array.isArray(found) || isObject(found)
          ? Object.hasOwn(found, step)
            ? (found as Readonly<Record<string, unknown>>)[step]
            : undefined
          : undefined;
      if (found === undefined) throw new UnusableOperation(`${shown(ref)} does not exist`);
    }
    return {
      value: found,
      file,
      id: `${file}#${steps.join('/')}`,
      name: steps.at(-1) ?? (path || 'Document'),
    };
  }

  /** Returns an object, following references. Throws if it is not an object. */
  follow(value: unknown, from: string, what: string): Located<Readonly<Record<string, unknown>>> {
    let current: Located = { value, file: from };
    for (let steps = 0; steps <= MAX_CHAIN; steps += 1) {
      if (!isObject(current.value)) throw new UnusableOperation(`${what} is not an object`);
      const { $ref } = current.value;
      if (typeof $ref !== 'string') return { value: current.value, file: current.file };
      current = this.target($ref, current.file);
    }
    throw new UnusableOperation(`${what} consists of references that form a loop`);
  }

  #file(file: string): Located {
    return file === '' ? { value: this.#root, file } : this.#read('', file);
  }
}

function stepsOf(pointer: string, ref: string): string[] {
  if (pointer === '' || pointer === '/') return [];
  if (!pointer.startsWith('/')) throw new UnusableOperation(`${shown(ref)} is not a JSON Pointer`);
  return pointer
    .slice(1)
    .split('/')
    .map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

const MAX_SHOWN = 120;
export const shown = (text: string): string =>
  JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

/** The members of an object in a document, without inherited ones. */
export const tableOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? lookup(value) : {};
