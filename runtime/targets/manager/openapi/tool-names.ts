import { createHash } from 'node:crypto';

/** Maximum length of a tool name that all clients and language models accept. */
const MAX_NAME = 64;
/** A long server name must not make all tool names unreadable. */
const MIN_NAME = 32;
/** The manager writes `server__tool` where the tools of several servers are listed. */
const SEPARATOR_LENGTH = 2;
const HASH_LENGTH = 6;

/** Chooses the names of an API's tools: unique regardless of case, and the same each time. */
export class ToolNames {
  readonly #taken = new Set<string>();
  readonly #maxLength: number;

  constructor(server: string) {
    this.#maxLength = Math.max(MIN_NAME, MAX_NAME - SEPARATOR_LENGTH - server.length);
  }

  /** Returns the name of an operation, from its ID or, if it has none or another operation has the same, from its path. */
  choose({
    operationId,
    method,
    path,
  }: {
    readonly operationId?: unknown;
    method: string;
    path: string;
  }): string {
    const place = `${method.toLowerCase()} ${path}`;
    const ids = typeof operationId === 'string' ? [operationId, place] : [place];
    for (const id of ids) {
      const name = this.#fit(plainName(id), id);
      if (name !== '' && this.#take(name)) return name;
    }
    const hash = hashOf(place);
    const name = `${plainName(ids[0] ?? place).slice(0, this.#maxLength - hash.length - 1)}_${hash}`;
    this.#take(name);
    return name;
  }

  #fit(name: string, id: string): string {
    if (name.length <= this.#maxLength) return name;
    const hash = hashOf(id);
    return `${trimmed(name.slice(0, this.#maxLength - HASH_LENGTH - 1))}_${hash}`;
  }

  #take(name: string): boolean {
    const key = name.toLowerCase();
    if (this.#taken.has(key)) return false;
    this.#taken.add(key);
    return true;
  }
}

const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);

/** Replaces everything that clients do not accept in names. */
const plainName = (text: string): string => trimmed(text.slice(0, 1000).replaceAll(/[^A-Za-z0-9_-]+/g, '_'));

/** Removes separators at both ends. */
function trimmed(name: string): string {
  const isSeparator = (character: string | undefined): boolean => character === '_' || character === '-';
  let [start, end] = [0, name.length];
  while (start < end && isSeparator(name[start])) start += 1;
  while (end > start && isSeparator(name[end - 1])) end -= 1;
  return name.slice(start, end);
}

/** Chooses the names of a tool's arguments. Some model providers accept only these characters. */
export class ArgumentNames {
  readonly #taken = new Set<string>();

  choose(wanted: string, place: string): string {
    const base = plainName(wanted).slice(0, MAX_NAME) || place;
    const candidates = [base, `${base.slice(0, MAX_NAME - place.length - 1)}_${place}`];
    for (const name of candidates) if (this.#take(name)) return name;
    for (let number = 2; ; number += 1) {
      const name = `${base.slice(0, MAX_NAME - 8)}_${number}`;
      if (this.#take(name)) return name;
    }
  }

  #take(name: string): boolean {
    if (this.#taken.has(name)) return false;
    this.#taken.add(name);
    return true;
  }
}
