import type { LuaWasm } from 'wasmoon';
import { ALWAYS_LIBRARIES, type LibraryName } from '#contract/transform.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import type { Interrupter } from '#core/limits/interrupter.ts';
import { guardLibrary } from './guard-library.ts';
import { pushMember } from './bind-members.ts';
import { LUA_TYPE, LuaMachine, OWN_CHUNK, REGISTRY } from './lua-machine.ts';
import { LuaValues } from './lua-values.ts';
import type { Member } from './member.ts';
import { MEMBERS } from './members.ts';
import { PRELUDE } from './prelude.ts';
import { pushJson } from './push-json.ts';
import { TensorValues } from './tensor-values.ts';
import type { TransformScript } from './transform-script.ts';

/** A script that is compiled once in its own Lua state. Every call runs it from the top, with fresh globals. */
export class LuaScript {
  readonly #machine: LuaMachine;
  readonly #tensors: TensorValues;
  readonly #values: LuaValues;
  /** Whether it mentions functions that are usually called many times with long texts or lists. */
  readonly #isWatched: boolean;
  #globals = 0;
  #chunk = 0;

  /** Compiles the script. Throws an error with Lua's message if it is not valid Lua. */
  constructor(lua: LuaWasm, script: TransformScript, { print, interrupter }: ScriptTools) {
    this.#machine = new LuaMachine(lua, script.limits, interrupter, script.limitsKey);
    this.#isWatched = OFTEN_LONG.test(script.source);
    this.#tensors = new TensorValues(this.#machine);
    this.#values = new LuaValues(this.#machine, this.#tensors);
    this.#machine.protect((state) => this.#open(state, script, print));
  }

  /** Whether nothing may run in it any more. */
  get broken(): boolean {
    return this.#machine.broken;
  }

  /** Calls the script's function of this name with tensors. Throws an error with the message of what failed. */
  call(name: string, given: readonly Tensor[]): Tensor {
    return this.#run(name, given, {
      push: (state, tensor) => this.#tensors.push(state, tensor),
      read: (state) => this.#tensors.at(state, -1),
      wanted: 'a tensor',
    });
  }

  /** Calls the script's function of this name with JSON values; null is nil. It must return a number, or a boolean, which is 1 or 0. */
  score(name: string, given: readonly unknown[]): number {
    return this.#run(name, given, {
      push: (state, value) => pushJson(this.#machine, state, value),
      read: (state) => this.#scoreAt(state),
      wanted: 'a number or a boolean',
    });
  }

  #scoreAt(state: number): number | undefined {
    const { lua } = this.#machine;
    const type = this.#machine.typeAt(state, -1);
    if (type === LUA_TYPE.boolean) return lua.lua_toboolean(state, -1) ? 1 : 0;
    if (type !== LUA_TYPE.number) return undefined;
    const score = lua.lua_tonumberx(state, -1, null);
    return Number.isFinite(score) ? score : undefined;
  }

  #run<Given, Result>(name: string, given: readonly Given[], values: Exchange<Given, Result>): Result {
    let result: { readonly value: Result } | undefined;
    try {
      this.#machine.limited((state) => {
        result = { value: this.#call(state, name, given, values) };
      }, this.#isWatched);
    } finally {
      this.#tensors.clear();
    }
    if (!result) throw new Error('no result');
    return result.value;
  }

  #call<Given, Result>(
    state: number,
    name: string,
    given: readonly Given[],
    { push, read, wanted }: Exchange<Given, Result>,
  ): Result {
    const { lua } = this.#machine;
    lua.lua_rawgeti(state, REGISTRY, BigInt(this.#globals));
    lua.lua_callk(state, 0, 1, 0, null);
    const globals = lua.lua_gettop(state);
    lua.lua_rawgeti(state, REGISTRY, BigInt(this.#chunk));
    lua.lua_pushvalue(state, globals);
    // The first upvalue of a chunk is the table of its globals.
    lua.lua_setupvalue(state, -2, 1);
    lua.lua_callk(state, 0, 0, 0, null);
    lua.lua_getfield(state, globals, name);
    if (this.#machine.typeAt(state, -1) !== LUA_TYPE.function) {
      throw new Error(`it does not define a function named ${name}`);
    }
    for (const value of given) push(state, value);
    lua.lua_callk(state, given.length, 1, 0, null);
    const result = read(state);
    if (result !== undefined) return result;
    throw new Error(`${name} must return ${wanted}, not ${this.#values.describe(state, -1)}`);
  }

  #open(state: number, script: TransformScript, print: (line: string) => void): void {
    const { source, name, firstLine, libraries } = script;
    const { lua } = this.#machine;
    lua.luaopen_base(state);
    const base = lua.lua_gettop(state);
    lua.lua_getfield(state, base, 'collectgarbage');
    this.#tensors.keepGarbageCollector(state);

    this.#machine.load(state, PRELUDE, OWN_CHUNK);
    lua.lua_pushvalue(state, base);
    this.#pushLibraries(state, libraries);
    this.#tensors.pushMetatable(state);
    this.#addMembers(state, 'metamethod');
    for (const kind of ['method', 'static'] as const) {
      lua.lua_createtable(state, 0, MEMBERS.length);
      this.#addMembers(state, kind);
    }
    this.#pushPrint(state, print);
    this.#pushUnknown(state);
    lua.lua_callk(state, PRELUDE_ARGUMENTS, 1, 0, null);
    this.#globals = lua.luaL_ref(state, REGISTRY);
    this.#machine.load(state, '\n'.repeat(firstLine - 1) + source, name);
    this.#chunk = lua.luaL_ref(state, REGISTRY);
  }

  #pushLibraries(state: number, more: readonly LibraryName[]): void {
    const { lua } = this.#machine;
    const names = new Set([...ALWAYS_LIBRARIES, ...more]);
    lua.lua_createtable(state, 0, names.size);
    for (const name of names) {
      OPEN[name](lua, state);
      guardLibrary(this.#machine, state, name);
      lua.lua_setfield(state, -2, name);
    }
  }

  /** Adds members to the table on top of the stack. */
  #addMembers(state: number, kind: Member['kind']): void {
    const binding = { machine: this.#machine, values: this.#values, allocate: this.#allocate };
    for (const member of MEMBERS.filter((candidate) => candidate.kind === kind)) {
      pushMember(state, member, binding);
      this.#machine.lua.lua_setfield(state, -2, member.name);
    }
  }

  #pushPrint(state: number, print: (line: string) => void): void {
    const { lua } = this.#machine;
    const write = this.#machine.addFunction((inside) => {
      const words = Array.from({ length: lua.lua_gettop(inside) }, (_, at) =>
        lua.luaL_tolstring(inside, at + 1, null),
      );
      print(words.join('\t'));
      return 0;
    });
    lua.lua_pushcclosure(state, write, 0);
  }

  /** Pushes the function that handles unknown members of tensors. */
  #pushUnknown(state: number): void {
    const { lua } = this.#machine;
    const refuse = this.#machine.addFunction((inside) => {
      const found =
        this.#machine.typeAt(inside, 1) === LUA_TYPE.string ? lua.lua_tolstring(inside, 1, null) : '';
      const names = MEMBERS.filter(({ kind }) => kind === 'method').map(({ name }) => name);
      throw new Error(`a tensor has no member ${JSON.stringify(found)}; members: ${names.sort().join(', ')}`);
    });
    lua.lua_pushcclosure(state, refuse, 0);
  }

  readonly #allocate = (elements: number): Float32Array => {
    this.#machine.checkRoom(elements * Float32Array.BYTES_PER_ELEMENT, () => this.#tensors.collectGarbage());
    return new Float32Array(elements);
  };
}

/** What a script needs of the program around it. */
export interface ScriptTools {
  /** Receives lines that the script prints. */
  readonly print: (line: string) => void;
  /** Stops calls of library functions that take too long. */
  readonly interrupter: Interrupter;
}

/** How the arguments and the result of a function are moved. */
interface Exchange<Given, Result> {
  readonly push: (state: number, value: Given) => void;
  /** The value on top of the stack; undefined if it has another type. */
  readonly read: (state: number) => Result | undefined;
  /** The type, for messages. */
  readonly wanted: string;
}

const PRELUDE_ARGUMENTS = 7;
const OFTEN_LONG = /\b(?:find|match|gmatch|gsub|concat|sort)\b/;

const OPEN: Record<LibraryName, (lua: LuaWasm, state: number) => void> = {
  table: (lua, state) => lua.luaopen_table(state),
  string: (lua, state) => lua.luaopen_string(state),
  math: (lua, state) => lua.luaopen_math(state),
  utf8: (lua, state) => lua.luaopen_utf8(state),
  coroutine: (lua, state) => lua.luaopen_coroutine(state),
  os: (lua, state) => lua.luaopen_os(state),
};
