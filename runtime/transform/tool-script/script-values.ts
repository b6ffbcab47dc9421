import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';
import { bytesAt, rawLength } from '../guarded-calls.ts';
import { LUA_TYPE, type LuaMachine, REGISTRY } from '../lua-machine.ts';

/** Maximum depth of nested lists and objects in values that are passed to and from a script. */
const MAX_DEPTH = 64;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} lists and objects`;

/** A character of a JavaScript string is encoded as at most three bytes of UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3;

const WHOLE = /^-?\d{1,19}$/;
const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 63n - 1n;

export interface WriteOptions {
  /** What the value is, for messages. */
  readonly what: string;
  /** Maximum length of the JSON text. */
  readonly maxCharacters: number;
  /** How an empty table is written if it does not come from JSON. */
  readonly empty: '[]' | '{}';
}

/**
 * Converts between JSON texts and values on Lua's stack. `null` in an object becomes nil, so that
 * `if issue.assignee then` works; in a list, it becomes `json.null`, so that other items keep their positions.
 */
export class ScriptValues {
  readonly #machine: LuaMachine;
  /** Registry references of the metatables that mark empty tables, to distinguish `[]` from `{}`. */
  readonly #list: number;
  readonly #object: number;
  readonly #handlePrefix: string;

  /**
   * `handlePrefix` starts the texts that stand for binary data, which are numbers in Lua that scripts cannot
   * create. Servers must not be able to guess it.
   */
  constructor(machine: LuaMachine, state: number, handlePrefix: string) {
    this.#machine = machine;
    this.#handlePrefix = handlePrefix;
    this.#list = this.#createMark(state, 'list');
    this.#object = this.#createMark(state, 'object');
  }

  /** Parses a JSON text, and pushes the value. Throws if it is not valid JSON or nested too deeply. */
  pushJson(state: number, text: string, what: string): void {
    const value = parseLossless(text);
    if (isTooDeep(value)) throw new Error(`${what} ${TOO_DEEP}`);
    this.#push(state, value);
  }

  /**
   * Returns the text of the string at an index; undefined if it has more characters. Invalid UTF-8 is replaced
   * with U+FFFD. The length is checked first, because an allocation above the limit of a thread ends the process.
   */
  textAt(state: number, index: number, maxCharacters: number): string | undefined {
    const { lua } = this.#machine;
    if (rawLength(lua, state, index) > maxCharacters * MAX_BYTES_PER_CHARACTER) return undefined;
    const text = new TextDecoder().decode(bytesAt(lua, state, index));
    return text.length > maxCharacters ? undefined : text;
  }

  /** Returns the beginning of the string at an index, with about this many characters. */
  beginningAt(state: number, index: number, maxCharacters: number): string {
    return new TextDecoder().decode(bytesAt(this.#machine.lua, state, index).subarray(0, maxCharacters));
  }

  /** Returns the JSON text of the value at an index, which is not changed. */
  write(state: number, index: number, options: WriteOptions): string {
    const writer = new ValueWriter(this.#machine, state, {
      ...options,
      textAt: (at) => this.textAt(state, at, options.maxCharacters),
      handleText: (handle) => JSON.stringify(`${this.#handlePrefix}${handle}`),
      markAt: (at) => this.#markAt(state, at),
    });
    return writer.write(index);
  }

  pushNull(state: number): void {
    this.#machine.lua.lua_pushlightuserdata(state, 0);
  }

  #createMark(state: number, name: string): number {
    const { lua } = this.#machine;
    lua.lua_createtable(state, 0, 1);
    this.#machine.pushString(state, name);
    lua.lua_setfield(state, -2, '__metatable');
    return lua.luaL_ref(state, REGISTRY);
  }

  #markAt(state: number, index: number): '[]' | '{}' | undefined {
    const { lua } = this.#machine;
    if (lua.lua_getmetatable(state, index) === 0) return undefined;
    const [list, object] = [this.#list, this.#object].map((reference) => {
      lua.lua_rawgeti(state, REGISTRY, BigInt(reference));
      const isSame = lua.lua_rawequal(state, -1, -2) !== 0;
      lua.lua_settop(state, -2);
      return isSame;
    });
    lua.lua_settop(state, -2);
    return list ? '[]' : object ? '{}' : undefined;
  }

  #push(state: number, value: unknown): void {
    const { lua } = this.#machine;
    lua.luaL_checkstack(state, 4, 'too many levels');
    if (typeof value === 'string') this.#pushText(state, value);
    else if (typeof value === 'boolean') lua.lua_pushboolean(state, value ? 1 : 0);
    else if (typeof value === 'number') this.#pushNumber(state, value);
    else if (isRawNumber(value)) this.#pushDigits(state, value.rawJSON);
    else if (Array.isArray(value)) this.#pushList(state, value);
    else if (typeof value === 'object' && value !== null) this.#pushObject(state, value);
    else lua.lua_pushnil(state);
  }

  #pushText(state: number, text: string): void {
    if (text.startsWith(this.#handlePrefix)) {
      this.#machine.lua.lua_pushlightuserdata(state, Number(text.slice(this.#handlePrefix.length)));
    } else this.#machine.pushString(state, text);
  }

  #pushList(state: number, list: readonly unknown[]): void {
    const { lua } = this.#machine;
    lua.lua_createtable(state, list.length, 0);
    for (const [at, item] of list.entries()) {
      if (item === null) this.pushNull(state);
      else this.#push(state, item);
      lua.lua_rawseti(state, -2, BigInt(at + 1));
    }
    if (list.length === 0) this.#mark(state, this.#list);
  }

  #pushObject(state: number, object: object): void {
    const { lua } = this.#machine;
    const members = Object.entries(object);
    lua.lua_createtable(state, 0, members.length);
    for (const [key, member] of members) {
      this.#machine.pushString(state, key);
      this.#push(state, member);
      lua.lua_rawset(state, -3);
    }
    if (members.length === 0) this.#mark(state, this.#object);
  }

  #mark(state: number, metatable: number): void {
    const { lua } = this.#machine;
    lua.lua_rawgeti(state, REGISTRY, BigInt(metatable));
    lua.lua_setmetatable(state, -2);
  }

  #pushNumber(state: number, value: number): void {
    const { lua } = this.#machine;
    if (Number.isSafeInteger(value)) lua.lua_pushinteger(state, BigInt(value));
    else lua.lua_pushnumber(state, value);
  }

  /** Pushes a number that a double cannot represent exactly. Integers in Lua have 64 bits. */
  #pushDigits(state: number, digits: string): void {
    const { lua } = this.#machine;
    const integer = WHOLE.test(digits) ? BigInt(digits) : undefined;
    if (integer !== undefined && integer >= MIN_INTEGER && integer <= MAX_INTEGER)
      lua.lua_pushinteger(state, integer);
    else lua.lua_pushnumber(state, Number(digits));
  }
}

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return false;
  return depth >= MAX_DEPTH || Object.values(value).some((member) => isTooDeep(member, depth + 1));
}

interface WriterParts extends WriteOptions {
  readonly textAt: (index: number) => string | undefined;
  readonly handleText: (handle: number) => string;
  readonly markAt: (index: number) => '[]' | '{}' | undefined;
}

/** Writes one value as JSON. Tables are read without their metamethods. */
class ValueWriter {
  readonly #machine: LuaMachine;
  readonly #state: number;
  readonly #parts: WriterParts;
  /** The tables that contain the current value, and the keys that lead to it. */
  readonly #open = new Set<number>();
  readonly #path: string[] = [];
  #pieces: string[] = [];
  #characters = 0;

  constructor(machine: LuaMachine, state: number, parts: WriterParts) {
    this.#machine = machine;
    this.#state = state;
    this.#parts = parts;
  }

  write(index: number): string {
    this.#value(this.#machine.lua.lua_absindex(this.#state, index));
    return this.#pieces.join('');
  }

  #value(index: number): void {
    const { lua } = this.#machine;
    const state = this.#state;
    switch (this.#machine.typeAt(state, index)) {
      case LUA_TYPE.nil:
        return this.#add('null');
      case LUA_TYPE.boolean:
        return this.#add(lua.lua_toboolean(state, index) ? 'true' : 'false');
      case LUA_TYPE.number:
        return this.#add(this.#number(index));
      case LUA_TYPE.string:
        return this.#add(JSON.stringify(this.#text(index)));
      case LUA_TYPE.lightUserdata: {
        const handle = lua.lua_touserdata(state, index);
        return this.#add(handle === 0 ? 'null' : this.#parts.handleText(handle));
      }
      case LUA_TYPE.table:
        return this.#table(index);
      default: {
        const name = lua.lua_typename(state, this.#machine.typeAt(state, index));
        return this.#fail(`is a ${name}, which cannot be passed on`);
      }
    }
  }

  #number(index: number): string {
    const { lua } = this.#machine;
    if (lua.lua_isinteger(this.#state, index) !== 0)
      return String(lua.lua_tointegerx(this.#state, index, null));
    const number = lua.lua_tonumberx(this.#state, index, null);
    return Number.isFinite(number) ? JSON.stringify(number) : this.#fail('is not a finite number');
  }

  #table(index: number): void {
    const { lua } = this.#machine;
    const state = this.#state;
    const pointer = lua.lua_topointer(state, index);
    if (this.#open.has(pointer)) this.#fail('contains itself');
    if (this.#open.size >= MAX_DEPTH) this.#fail(TOO_DEEP);
    lua.luaL_checkstack(state, 6, 'too many levels');
    this.#open.add(pointer);
    const length = rawLength(lua, state, index);
    if (this.#isList(index, length)) this.#list(index, length);
    else this.#object(index);
    this.#open.delete(pointer);
  }

  /** Whether the keys of a table are exactly 1 to `length`. */
  #isList(index: number, length: number): boolean {
    if (length === 0) return false;
    const { lua } = this.#machine;
    const state = this.#state;
    let count = 0;
    lua.lua_pushnil(state);
    while (lua.lua_next(state, index) !== 0) {
      lua.lua_settop(state, -2);
      count += 1;
      if (count > length || lua.lua_isinteger(state, -1) === 0) {
        lua.lua_settop(state, -2);
        return false;
      }
    }
    return count === length;
  }

  #list(index: number, length: number): void {
    const { lua } = this.#machine;
    const state = this.#state;
    this.#add('[');
    for (let at = 1; at <= length; at += 1) {
      if (at > 1) this.#add(',');
      this.#path.push(`[${at}]`);
      lua.lua_rawgeti(state, index, BigInt(at));
      this.#value(lua.lua_gettop(state));
      lua.lua_settop(state, -2);
      this.#path.pop();
    }
    this.#add(']');
  }

  /** The members are sorted by name, because their order in a table is random. */
  #object(index: number): void {
    const { lua } = this.#machine;
    const state = this.#state;
    const members = new Map<string, string>();
    const before = this.#pieces;
    lua.lua_pushnil(state);
    while (lua.lua_next(state, index) !== 0) {
      const value = lua.lua_gettop(state);
      const name = this.#key(value - 1);
      this.#path.push(`.${name}`);
      if (members.has(name)) this.#fail('exists twice, as a text and as a number');
      this.#pieces = [];
      this.#add(`${JSON.stringify(name)}:`);
      this.#value(value);
      members.set(name, this.#pieces.join(''));
      this.#path.pop();
      lua.lua_settop(state, -2);
    }
    this.#pieces = before;
    if (members.size === 0) return this.#add(this.#parts.markAt(index) ?? this.#parts.empty);
    const names = [...members.keys()].sort();
    this.#pieces.push('{', names.map((name) => members.get(name)).join(','), '}');
  }

  #key(index: number): string {
    const type = this.#machine.typeAt(this.#state, index);
    if (type === LUA_TYPE.string) return this.#text(index);
    if (type === LUA_TYPE.number) return this.#number(index);
    return this.#fail(`has a key of type ${this.#machine.lua.lua_typename(this.#state, type)}`);
  }

  #text(index: number): string {
    return this.#parts.textAt(index) ?? this.#failTooLong();
  }

  #add(piece: string): void {
    this.#characters += piece.length;
    if (this.#characters > this.#parts.maxCharacters) this.#failTooLong();
    this.#pieces.push(piece);
  }

  #failTooLong(): never {
    this.#path.length = 0;
    return this.#fail(`has more than ${this.#parts.maxCharacters} characters of JSON`);
  }

  #fail(problem: string): never {
    throw new Error(`${this.#parts.what}${this.#path.join('').slice(0, 200)} ${problem}`);
  }
}
