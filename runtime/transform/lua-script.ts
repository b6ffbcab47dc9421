import { lookup } from '#core/values/lookup.ts';
import type { LuaWasm } from 'wasmoon';
import type { Tensor, Allocate } from '#core/tensor/tensor.ts';
import type { Interrupter } from '#core/limits/interrupter.ts';
import { pushLibraries } from './lua-libraries.ts';
import { LUA_TYPE, LuaMachine, OWN_CHUNK, REGISTRY } from './lua-machine.ts';
import { LuaValues, pushJson } from './lua-values.ts';
import type { Member, Parameter } from './member.ts';
import { MEMBERS } from './members.ts';
import { TensorValues } from './tensor-values.ts';
import type { TransformScript } from './transform-script.ts';

/** The members of the table that is passed to the prelude. */
const GIVEN = ['base', 'libraries', 'metatable', 'methods', 'statics', 'print', 'unknown'] as const;
type PreludeValue = (typeof GIVEN)[number];

/**
 * Lua code for the environment of a script. It receives the basic functions, the libraries and our
 * additions, and returns a function that creates new globals. Each run gets its own copy of all
 * tables, so that runs do not affect each other.
 */
const PRELUDE = `
local given = ...
local ${GIVEN.join(', ')} = ${GIVEN.map((name) => `given.${name}`).join(', ')}
local next, rawget, type, error, setmetatable = base.next, base.rawget, base.type, base.error, base.setmetatable
local seed = libraries.math.randomseed

local globals = {}
for _, name in base.ipairs({
  "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget", "rawlen", "rawset",
  "select", "tonumber", "tostring", "type", "xpcall",
}) do
  globals[name] = base[name]
end
globals.print = print

-- A finalizer would run in the middle of some later run.
function globals.setmetatable(object, metatable)
  if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then
    error("__gc is not available in transforms", 2)
  end
  return setmetatable(object, metatable)
end

libraries.string.dump = nil
if libraries.os then
  libraries.os = { time = libraries.os.time, clock = libraries.os.clock, date = libraries.os.date }
end
base.getmetatable("").__metatable = "string"

metatable.__metatable = "Tensor"
local item = metatable.__index
function metatable.__index(tensor, key)
  if type(key) == "number" then return item(tensor, key) end
  return methods[key] or unknown(key)
end

function metatable.__newindex()
  error("tensors are immutable; create a new one, for example t + 1 or Tensor.where(condition, yes, no)", 2)
end

local make = statics.__call
statics.__call = nil
local construct = {
  __metatable = "Tensor",
  -- No tail call: an error is to name the place in the script.
  __call = function(_, table)
    local tensor = make(table)
    return tensor
  end,
}

local function copy(original)
  local made = {}
  for key, value in next, original do made[key] = value end
  return made
end

return function()
  seed(0)
  local made = copy(globals)
  for name, library in next, libraries do made[name] = copy(library) end
  made.Tensor = setmetatable(copy(statics), construct)
  made._G = made
  return made
end
`;

/** Pushes a Lua function that checks its arguments against the member's parameters and calls the member. */
function pushMember(
  state: number,
  member: Member,
  { machine, values, allocate }: { machine: LuaMachine; values: LuaValues; allocate: Allocate },
): void {
  const { kind, parameters, returns } = member;
  const name = OPERATORS[member.name] ?? member.name;
  const isMethod = kind === 'method';
  const counts = returns === 'integer' || returns === 'integers';

  const takeSelf = (inside: number): unknown => {
    const self = values.take('tensor', inside, 1);
    if (self !== undefined) return self;
    const found = values.describe(inside, 1);
    throw new Error(`${name} must be called on a tensor (t:${name}(...)), not on ${found}`);
  };
  const takeArgument = (inside: number, parameter: Parameter, index: number): unknown => {
    const isMissing = machine.typeAt(inside, index) <= LUA_TYPE.nil;
    if (isMissing && parameter.optional) return undefined;
    const value = values.take(parameter.type, inside, index, parameter.callback?.returns);
    if (value !== undefined) return value;
    const found = values.describe(inside, index);
    throw new Error(`${name}: ${parameter.name} must be ${NAMES[parameter.type]}, not ${found}`);
  };
  const call = (inside: number): number => {
    const first = isMethod ? 2 : 1;
    const given = parameters.map((parameter, at) => takeArgument(inside, parameter, first + at));
    const all = isMethod ? [takeSelf(inside), ...given] : given;
    values.push(inside, member.call(allocate, ...(all as Parameters<Member['call']>[1][])), counts);
    return 1;
  };
  machine.lua.lua_pushcclosure(state, machine.addFunction(call), 0);
}

/** Operators by metamethod name, for messages. */
const OPERATORS = lookup<string>({
  __call: 'Tensor',
  __add: '+',
  __sub: '-',
  __mul: '*',
  __div: '/',
  __index: 't[i]',
});

const NAMES: Record<Parameter['type'], string> = {
  tensor: 'a tensor',
  number: 'a number',
  integer: 'a whole number',
  operand: 'a tensor or a number',
  integers: 'a list of whole numbers',
  tensors: 'a list of tensors',
  table: 'a table of numbers',
  function: 'a function',
};

/**
 * A script that is compiled once, in its own Lua state. Every call runs the whole script again with
 * new globals.
 */
export class LuaScript {
  readonly #machine: LuaMachine;
  readonly #tensors: TensorValues;
  readonly #values: LuaValues;
  /**
   * Whether the script contains the name of a function that is usually called many times with long
   * strings or lists.
   */
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

  /** Whether the Lua state is unusable after an error. */
  get broken(): boolean {
    return this.#machine.broken;
  }

  /**
   * Calls the script's function with this name and passes tensors to it. Throws an error with Lua's
   * message on failure.
   */
  call(name: string, given: readonly Tensor[]): Tensor {
    return this.#run(name, given, {
      push: (state, tensor) => this.#tensors.push(state, tensor),
      read: (state) => this.#tensors.at(state, -1),
      wanted: 'a tensor',
    });
  }

  /**
   * Calls the script's function with this name and passes JSON values to it; null becomes nil. The
   * function must return a number, or a boolean, which becomes 1 or 0.
   */
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
    const pushTable = (kind: Member['kind']): void => {
      lua.lua_createtable(state, 0, MEMBERS.length);
      this.#addMembers(state, kind);
    };
    const given: Record<PreludeValue, () => void> = {
      base: () => lua.lua_pushvalue(state, base),
      libraries: () => pushLibraries(this.#machine, state, libraries),
      metatable: () => {
        this.#tensors.pushMetatable(state);
        this.#addMembers(state, 'metamethod');
      },
      methods: () => pushTable('method'),
      statics: () => pushTable('static'),
      print: () => this.#pushPrint(state, print),
      unknown: () => this.#pushUnknown(state),
    };
    lua.lua_createtable(state, 0, Object.keys(given).length);
    for (const [name, push] of Object.entries(given)) {
      push();
      lua.lua_setfield(state, -2, name);
    }
    lua.lua_callk(state, 1, 1, 0, null);
    this.#globals = lua.luaL_ref(state, REGISTRY);
    this.#machine.load(state, '\n'.repeat(firstLine - 1) + source, name);
    this.#chunk = lua.luaL_ref(state, REGISTRY);
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

  /** Pushes the function that throws an error if a script uses an unknown member of a tensor. */
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

/** What a script needs from the surrounding program. */
export interface ScriptTools {
  /** Receives lines that the script prints. */
  readonly print: (line: string) => void;
  /** Stops library functions that take too long. */
  readonly interrupter: Interrupter;
}

/** How the arguments are passed to a script's function, and how its result is read. */
interface Exchange<Given, Result> {
  readonly push: (state: number, value: Given) => void;
  /** Returns the value on top of the stack; undefined if it has a wrong type. */
  readonly read: (state: number) => Result | undefined;
  /** The required type of the result, for messages. */
  readonly wanted: string;
}

const OFTEN_LONG = /\b(?:find|match|gmatch|gsub|concat|sort)\b/;
