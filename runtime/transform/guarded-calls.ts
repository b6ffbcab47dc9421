import { lookup } from '#core/values/lookup.ts';
import { LUA_TYPE, type LuaMachine } from './lua-machine.ts';
import type { LuaWasm } from 'wasmoon';

/** Estimates the number of steps of a call from the arguments on the stack. The estimate is never too low. */
type Steps = (machine: LuaMachine, state: number) => number;

/**
 * Library functions whose calls can take long, although each is a single instruction, by library.
 * Calls with many steps are stopped at the time limit.
 */
const GUARDED = lookup<Readonly<Record<string, Steps>>>({
  string: {
    find: (machine, state) =>
      isPlain(machine, state) ? plainSteps(machine, state) : patternSteps(machine, state),
    match: (machine, state) => patternSteps(machine, state),
    gmatch: (machine, state) => stringSteps(machine, state),
    gsub: (machine, state) => patternSteps(machine, state),
    rep: (machine, state) =>
      Math.max(1, lengthAt(machine, state, 1) + lengthAt(machine, state, 3)) * numberAt(machine, state, 2),
    upper: (machine, state) => stringSteps(machine, state),
    lower: (machine, state) => stringSteps(machine, state),
    reverse: (machine, state) => stringSteps(machine, state),
    format: (machine, state) => stringSteps(machine, state),
    pack: (machine, state) => stringSteps(machine, state),
    unpack: (machine, state) => stringSteps(machine, state),
    packsize: (machine, state) => stringSteps(machine, state),
  },
  table: {
    // Without a position argument, only one element at the end is added or removed.
    insert: (machine, state) => (machine.lua.lua_gettop(state) < 3 ? 1 : elementsAt(machine, state)),
    remove: (machine, state) => (machine.lua.lua_gettop(state) < 2 ? 1 : elementsAt(machine, state)),
    move: (machine, state) => numberAt(machine, state, 3) - numberAt(machine, state, 2) + 1,
    concat: (machine, state) =>
      machine.typeAt(state, 4) === LUA_TYPE.number
        ? numberAt(machine, state, 4) - numberAt(machine, state, 3) + 1
        : elementsAt(machine, state),
    // Every comparison can take long, because all elements can refer to the same long string.
    sort: (machine, state) =>
      elementsAt(machine, state) * SORT_STEPS * (1 + machine.longestString / STRING_STEP),
    unpack: (machine, state) =>
      machine.typeAt(state, 3) === LUA_TYPE.number
        ? numberAt(machine, state, 3) - numberAt(machine, state, 2) + 1
        : elementsAt(machine, state),
  },
  utf8: {
    len: (machine, state) => stringSteps(machine, state),
    codepoint: (machine, state) => stringSteps(machine, state),
    offset: (machine, state) => stringSteps(machine, state),
  },
});

/** Number of comparisons per element when sorting a list. */
const SORT_STEPS = 32;
/** Number of bytes that can be compared in the time for one step. */
const STRING_STEP = 16;

const lengthAt = (machine: LuaMachine, state: number, index: number): number =>
  machine.typeAt(state, index) === LUA_TYPE.string ? rawLength(machine.lua, state, index) : 0;

const numberAt = (machine: LuaMachine, state: number, index: number): number =>
  machine.lua.lua_tonumberx(state, index, null);

/** Returns the total number of bytes in all string arguments. */
function stringSteps(machine: LuaMachine, state: number): number {
  let bytes = 0;
  for (let index = machine.lua.lua_gettop(state); index > 0; index -= 1)
    bytes += lengthAt(machine, state, index);
  return bytes;
}

/**
 * Returns the number of elements in the table that is the first argument; Infinity if it has a
 * metatable, which can define any length.
 */
function elementsAt(machine: LuaMachine, state: number): number {
  const { lua } = machine;
  if (machine.typeAt(state, 1) !== LUA_TYPE.table) return 1;
  if (lua.lua_getmetatable(state, 1)) {
    lua.lua_settop(state, -2);
    return Infinity;
  }
  return rawLength(lua, state, 1);
}

const isPlain = (machine: LuaMachine, state: number): boolean => isTrue(machine.lua, state, 4);

const plainSteps = (machine: LuaMachine, state: number): number =>
  lengthAt(machine, state, 1) * (1 + lengthAt(machine, state, 2));

/**
 * In the worst case, each repetition in a pattern is tried with every length, from every position
 * in the text.
 */
function patternSteps(machine: LuaMachine, state: number, text = 1, pattern = 2): number {
  if (machine.typeAt(state, pattern) !== LUA_TYPE.string) return lengthAt(machine, state, text);
  const repetitions = repetitionsIn(bytesAt(machine.lua, state, pattern));
  const length = lengthAt(machine, state, text) + 1;
  return length ** (repetitions + 1) * (1 + lengthAt(machine, state, pattern));
}

const codes = (characters: string): ReadonlySet<number | undefined> =>
  new Set(Array.from(characters, (character) => character.charCodeAt(0)));
const REPETITIONS = codes('*+-?');
const ESCAPE = '%'.charCodeAt(0);
/** The letters in `%b` and `%f`, which also search the text. */
const ESCAPED_SEARCHES = codes('bf');

/**
 * Counts the parts of a pattern that can match text of different lengths. Characters in sets are
 * also counted.
 */
function repetitionsIn(pattern: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const isEscape = pattern[at] === ESCAPE;
    if (isEscape) at += 1;
    if ((isEscape ? ESCAPED_SEARCHES : REPETITIONS).has(pattern[at])) count += 1;
  }
  return count;
}

/** Members of the Lua package that its type declarations lack or declare incorrectly. */
interface Raw {
  readonly lua_rawlen: (state: number, index: number) => bigint | number;
  readonly lua_toboolean: (state: number, index: number) => number;
  readonly module: {
    readonly HEAPU8: Uint8Array;
    readonly _lua_tolstring: (state: number, index: number, length: number) => number;
  };
}

const raw = (lua: LuaWasm): Raw => lua as unknown as Raw;

/** Returns the number of bytes in a string, or of elements in a list. */
export const rawLength = (lua: LuaWasm, state: number, index: number): number =>
  Number(raw(lua).lua_rawlen(state, index));

const isTrue = (lua: LuaWasm, state: number, index: number): boolean =>
  raw(lua).lua_toboolean(state, index) !== 0;

/** Returns the bytes of a string, which are valid until Lua runs again. */
export function bytesAt(lua: LuaWasm, state: number, index: number): Uint8Array {
  const { HEAPU8, _lua_tolstring: toBytes } = raw(lua).module;
  const start = toBytes(state, index, 0);
  return HEAPU8.subarray(start, start + rawLength(lua, state, index));
}

/** Replaces the functions that can run for long in the library on top of the stack. */
export function guardLibrary(machine: LuaMachine, state: number, library: string): void {
  const { lua } = machine;
  for (const [name, stepsOf] of Object.entries(GUARDED[library] ?? {})) {
    lua.lua_getfield(state, -1, name);
    const pointer = lua.lua_tocfunction(state, -1);
    lua.lua_settop(state, -2);
    const guarded =
      name === 'gmatch'
        ? guardIterator(machine, pointer)
        : machine.guard(pointer, (inside) => stepsOf(machine, inside));
    lua.lua_pushcclosure(state, guarded, 0);
    lua.lua_setfield(state, -2, name);
  }
}

/** Number of upvalues of the function that `gmatch` returns: the text, the pattern and the position. */
const ITERATOR_VALUES = 3;

function guardIterator(machine: LuaMachine, gmatch: number): number {
  const { lua } = machine;
  let guarded: number | undefined;
  const create = machine.functionAt(gmatch);
  return machine.addFunction((state) => {
    create(state);
    const iterator = lua.lua_gettop(state);
    const [text, pattern] = [lua.lua_upvalueindex(1), lua.lua_upvalueindex(2)];
    guarded ??= machine.guard(lua.lua_tocfunction(state, iterator), (inside) =>
      patternSteps(machine, inside, text, pattern),
    );
    for (let at = 1; at <= ITERATOR_VALUES; at += 1) lua.lua_getupvalue(state, iterator, at);
    lua.lua_pushcclosure(state, guarded, ITERATOR_VALUES);
    return 1;
  });
}
