import type { LuaWasm } from 'wasmoon';
import { messageOf } from '#contract/errors.ts';
import type { Interrupter } from '#core/limits/interrupter.ts';
import { pushLibraries } from '../lua-libraries.ts';
import { LUA_TYPE, LuaMachine, OUT_OF_MEMORY, OWN_CHUNK, REGISTRY } from '../lua-machine.ts';
import { GIVEN, PRELUDE, type PreludeValue } from './prelude.ts';
import { ScriptValues } from './script-values.ts';

/** Limits of one script. */
export interface ScriptLimits {
  readonly instructions: number;
  readonly memoryMb: number;
  /** Maximum time that the script itself runs; the time of its calls is not included. */
  readonly seconds: number;
  readonly calls: number;
  /** Maximum length of the return value and of the arguments of a call, in characters of JSON. */
  readonly maxCharacters: number;
  /** Maximum length of a result that a script receives, and of a text that it parses. */
  readonly maxResultCharacters: number;
}

/** What a script calls. */
export type CallKind = 'tool' | 'prompt' | 'resource';

/** A call of a tool by a script, or the request of a prompt or resource. */
export interface ToolRequest {
  readonly id: number;
  readonly kind: CallKind;
  readonly server: string;
  /** The name of the tool or prompt; `read` for a resource, whose URI is an argument. */
  readonly tool: string;
  /** The arguments, as JSON. */
  readonly args: string;
}

/** The result of a call: a JSON text, or the message of the error that the script receives. */
export type ToolReply = { readonly json: string } | { readonly error: string };

/** The outcome of a script. */
export type ScriptEnd =
  | {
      /** The return value as JSON; undefined if it is nil. */
      readonly json: string | undefined;
      readonly hasPrinted: boolean;
    }
  | {
      readonly error: string;
      /** Whether a limit was reached, so that the script was stopped. */
      readonly isLimit: boolean;
    };

export interface ScriptTools {
  /** Starts a call. Its reply is passed to `deliver`. */
  readonly call: (request: ToolRequest) => void;
  readonly interrupter: Interrupter;
  /** Starts the texts that stand for binary data. */
  readonly handlePrefix: string;
}

/** Name of the script in Lua's messages. */
const CHUNK = 'script';
const PLACE = new RegExp(`\\b${CHUNK}:(\\d+):`, 'g');
const YIELDED_VALUES = 1;

/**
 * A script that calls tools. It runs until it needs the result of a call, and continues when it is delivered.
 * The Lua state is only used for this script.
 */
export class ToolScript {
  readonly #machine: LuaMachine;
  readonly #tools: ScriptTools;
  readonly #limits: ScriptLimits;
  readonly #references = { start: 0, deliver: 0 };
  #values: ScriptValues | undefined;
  #calls = 0;
  #end: ScriptEnd | undefined;

  constructor(lua: LuaWasm, limits: ScriptLimits, tools: ScriptTools) {
    const { instructions, memoryMb, seconds } = limits;
    this.#tools = tools;
    this.#limits = limits;
    this.#machine = new LuaMachine(lua, { instructions, memory_mb: memoryMb, seconds }, tools.interrupter);
  }

  /** Compiles and starts the script. Returns its outcome; undefined if it waits for calls. */
  start(source: string): ScriptEnd | undefined {
    this.#machine.startRun();
    return this.#run((state) => {
      this.#open(state, source);
      this.#machine.lua.lua_rawgeti(state, REGISTRY, BigInt(this.#references.start));
      this.#machine.lua.lua_callk(state, 0, 0, 0, null);
    });
  }

  /** Continues the script with the reply to a call. Returns its outcome; undefined if it waits for calls. */
  deliver(id: number, reply: ToolReply): ScriptEnd | undefined {
    return this.#run((state) => {
      const { lua } = this.#machine;
      lua.lua_rawgeti(state, REGISTRY, BigInt(this.#references.deliver));
      lua.lua_pushinteger(state, BigInt(id));
      this.#pushReply(state, reply);
      lua.lua_callk(state, 3, 0, 0, null);
    });
  }

  #run(body: (state: number) => void): ScriptEnd | undefined {
    const machine = this.#machine;
    try {
      machine.runPart(body);
    } catch (error) {
      this.#end = { error: placed(messageOf(error)), isLimit: machine.broken };
    }
    const { exceeded } = machine;
    if (exceeded !== undefined) this.#end = { error: exceeded, isLimit: true };
    return this.#end;
  }

  #pushReply(state: number, reply: ToolReply): void {
    const { lua } = this.#machine;
    if ('error' in reply) return this.#pushFailure(state, reply.error);
    lua.lua_pushboolean(state, 1);
    try {
      this.#opened.pushJson(state, reply.json, 'the result');
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      lua.lua_settop(state, -2);
      this.#pushFailure(state, error.message);
    }
  }

  #pushFailure(state: number, message: string): void {
    this.#machine.lua.lua_pushboolean(state, 0);
    this.#machine.pushString(state, message);
  }

  get #opened(): ScriptValues {
    if (!this.#values) throw new Error('the script is not open');
    return this.#values;
  }

  #open(state: number, source: string): void {
    const machine = this.#machine;
    const { lua } = machine;
    lua.luaopen_base(state);
    const base = lua.lua_gettop(state);
    this.#values = new ScriptValues(machine, state, this.#tools.handlePrefix);
    machine.load(state, PRELUDE, OWN_CHUNK);
    machine.load(state, source, CHUNK);
    const chunk = lua.lua_gettop(state);
    lua.lua_pushvalue(state, chunk - 1);
    const given: Record<PreludeValue, () => void> = {
      base: () => lua.lua_pushvalue(state, base),
      libraries: () => pushLibraries(machine, state, []),
      coroutines: () => void lua.luaopen_coroutine(state),
      tool: () => this.#pushToolMaker(state),
      finish: () => this.#pushFunction(state, (inside) => this.#finish(inside)),
      json: () => this.#pushJsonLibrary(state),
      chunk: () => lua.lua_pushvalue(state, chunk),
      exceedMemory: () => this.#pushFunction(state, (inside) => machine.exceedMemory(inside)),
    };
    lua.lua_createtable(state, 0, GIVEN.length);
    for (const name of GIVEN) {
      given[name]();
      lua.lua_setfield(state, -2, name);
    }
    lua.lua_callk(state, 1, 3, 0, null);
    this.#references.deliver = lua.luaL_ref(state, REGISTRY);
    this.#references.start = lua.luaL_ref(state, REGISTRY);
    // The first upvalue of a chunk is the table of its globals, which is on top of the stack.
    lua.lua_setupvalue(state, chunk, 1);
  }

  #pushFunction(state: number, body: (state: number) => number): void {
    this.#machine.lua.lua_pushcclosure(state, this.#machine.addFunction(body), 0);
  }

  /** Pushes the function that returns the function for a tool of a server, for a prompt, or to read resources. */
  #pushToolMaker(state: number): void {
    const machine = this.#machine;
    const { lua } = machine;
    const [kind, server, name] = [1, 2, 3].map((at) => lua.lua_upvalueindex(at)) as [number, number, number];
    const resumed = lua.module.addFunction((inside: number) => this.#resumed(inside), 'iiii');
    // A C function, because a tail call of a Lua function would lose the line of the script for errors.
    const call = machine.addFunction((inside) => {
      this.#request(inside, {
        kind: this.#kindAt(inside, kind),
        server: this.#nameAt(inside, server),
        tool: this.#nameAt(inside, name),
      });
      return lua.lua_yieldk(inside, YIELDED_VALUES, 0, resumed);
    });
    this.#pushFunction(state, (inside) => {
      lua.lua_pushcclosure(inside, call, 3);
      return 1;
    });
  }

  #nameAt(state: number, index: number): string {
    const name = this.#opened.textAt(state, index, MAX_NAME);
    if (name === undefined)
      throw new Error(`the name of a server or tool has more than ${MAX_NAME} characters`);
    return name;
  }

  /** The prelude passes one of the kinds. */
  #kindAt(state: number, index: number): CallKind {
    const name = this.#nameAt(state, index);
    return name === 'prompt' || name === 'resource' ? name : 'tool';
  }

  /** Starts a call with the arguments on the stack, and pushes its ID. */
  #request(state: number, called: Pick<ToolRequest, 'kind' | 'server' | 'tool'>): void {
    const machine = this.#machine;
    const { lua } = machine;
    const { calls, maxCharacters } = this.#limits;
    const { exceeded } = machine;
    if (exceeded !== undefined) machine.exceed(state, exceeded);
    if (lua.lua_isyieldable(state) === 0)
      throw new Error('tools cannot be called in a function that sort or gsub calls');
    const args = this.#args(state, { what: 'the argument', maxCharacters, empty: '{}' });
    if (this.#calls >= calls) machine.exceed(state, `it exceeded its limit of ${calls} calls`);
    this.#calls += 1;
    this.#tools.call({ id: this.#calls, ...called, args });
    lua.lua_settop(state, 0);
    lua.lua_pushinteger(state, BigInt(this.#calls));
  }

  #args(state: number, options: Parameters<ScriptValues['write']>[2]): string {
    const { lua } = this.#machine;
    const count = lua.lua_gettop(state);
    if (count === 0 || (count === 1 && this.#machine.typeAt(state, 1) === LUA_TYPE.nil)) return '{}';
    const json = this.#machine.typeAt(state, 1) === LUA_TYPE.table && this.#opened.write(state, 1, options);
    if (count === 1 && json !== false && json.startsWith('{')) return json;
    throw new Error('a tool takes one table with named arguments, for example { id = 1 }');
  }

  /** Continues a tool's function with the reply: its result, or its error with the line of the script. */
  #resumed(state: number): number {
    const { lua } = this.#machine;
    if (lua.lua_toboolean(state, -2)) return 1;
    lua.luaL_where(state, 1);
    lua.lua_rotate(state, -2, 1);
    lua.lua_concat(state, 2);
    return lua.lua_error(state);
  }

  #pushJsonLibrary(state: number): void {
    const { lua } = this.#machine;
    lua.lua_createtable(state, 0, 3);
    this.#opened.pushNull(state);
    lua.lua_setfield(state, -2, 'null');
    this.#pushFunction(state, (inside) => {
      lua.luaL_checkany(inside, 1);
      const { maxCharacters } = this.#limits;
      const options = { what: 'json.encode: the value', maxCharacters, empty: '[]' } as const;
      this.#machine.pushString(inside, this.#opened.write(inside, 1, options));
      return 1;
    });
    lua.lua_setfield(state, -2, 'encode');
    this.#pushFunction(state, (inside) => {
      if (this.#machine.typeAt(inside, 1) !== LUA_TYPE.string) throw new Error('json.decode takes a text');
      const { maxResultCharacters } = this.#limits;
      const text = this.#opened.textAt(inside, 1, maxResultCharacters);
      if (text === undefined) throw new Error(`the text has more than ${maxResultCharacters} characters`);
      this.#opened.pushJson(inside, text, 'json.decode: the value');
      return 1;
    });
    lua.lua_setfield(state, -2, 'decode');
  }

  /** Receives the outcome from Lua: whether the script succeeded, its packed results or its error, and `print`. */
  #finish(state: number): number {
    const { lua } = this.#machine;
    const hasPrinted = lua.lua_toboolean(state, 3) !== 0;
    if (lua.lua_toboolean(state, 1)) {
      this.#end = { json: this.#result(state), hasPrinted };
      return 0;
    }
    const message = this.#messageAt(state, 2);
    if (message === OUT_OF_MEMORY) this.#machine.exceedMemory(state);
    this.#end = { error: placed(message), isLimit: false };
    return 0;
  }

  /** Several results are returned as a list. */
  #result(state: number): string | undefined {
    const { lua } = this.#machine;
    const { maxCharacters } = this.#limits;
    lua.lua_getfield(state, 2, 'n');
    const count = lua.lua_tonumberx(state, -1, null);
    const results = Array.from({ length: count }, (_, at) => {
      lua.lua_rawgeti(state, 2, BigInt(at + 1));
      const options = { what: 'the return value', maxCharacters, empty: '[]' } as const;
      const json = this.#opened.write(state, -1, options);
      lua.lua_settop(state, -2);
      return json;
    });
    if (count <= 1) return results[0] === 'null' ? undefined : results[0];
    return `[${results.join(',')}]`;
  }

  #messageAt(state: number, index: number): string {
    const { lua } = this.#machine;
    const type = this.#machine.typeAt(state, index);
    if (type === LUA_TYPE.string) return this.#opened.beginningAt(state, index, MAX_ERROR_CHARACTERS);
    if (type === LUA_TYPE.number) return lua.lua_tolstring(state, index, null);
    if (type !== LUA_TYPE.table) return `it raised an error of type ${lua.lua_typename(state, type)}`;
    const options = { what: 'the error', maxCharacters: MAX_ERROR_CHARACTERS, empty: '{}' } as const;
    return `it raised the error ${this.#opened.write(state, index, options)}`;
  }
}

const MAX_ERROR_CHARACTERS = 2000;
/** Maximum length of the name of a server or tool. */
const MAX_NAME = 1000;

/** Replaces positions such as `script:3:` with `line 3:`. */
const placed = (message: string): string => message.replaceAll(PLACE, 'line $1:');
