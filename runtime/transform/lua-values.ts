import type { Operand, Tensor } from '#core/tensor/tensor.ts';
import { LUA_TYPE, type LuaMachine } from './lua-machine.ts';
import type { ParameterTypes, Callback, Parameter, ResultTypes } from './member.ts';
import type { TensorValues } from './tensor-values.ts';

type CallbackResult = NonNullable<Parameter['callback']>['returns'];
type Result = ResultTypes[keyof ResultTypes];

/** Maximum depth of nested tables that are converted to tensors. */
const MAX_TABLE_DEPTH = 32;

/** Converts values between JavaScript and Lua's stack. */
export class LuaValues {
  readonly #machine: LuaMachine;
  readonly #tensors: TensorValues;

  constructor(machine: LuaMachine, tensors: TensorValues) {
    this.#machine = machine;
    this.#tensors = tensors;
  }

  /** Returns the value at `index` converted to the type of a parameter; undefined if it has another type. */
  take(
    type: keyof ParameterTypes,
    state: number,
    index: number,
    returns: CallbackResult = 'operand',
  ): ParameterTypes[keyof ParameterTypes] | undefined {
    return this.#takers[type](state, index, returns);
  }

  readonly #takers: {
    readonly [Type in keyof ParameterTypes]: (
      state: number,
      index: number,
      returns: CallbackResult,
    ) => ParameterTypes[Type] | undefined;
  } = {
    tensor: (state, index) => this.#tensors.at(state, index),
    number: (state, index) => this.#number(state, index),
    integer: (state, index) => whole(this.#number(state, index)),
    operand: (state, index) => this.#operand(state, index),
    integers: (state, index) => this.#list(state, index, () => whole(this.#number(state, -1))),
    tensors: (state, index) => this.#list(state, index, () => this.#tensors.at(state, -1)),
    table: (state, index) => this.#nested(state, index, 0),
    function: (state, index, returns) => this.#callback(state, index, returns),
  };

  /** Describes a value, for use in a message. */
  describe(state: number, index: number): string {
    const { lua } = this.#machine;
    if (this.#tensors.at(state, index)) return 'a tensor';
    const type = this.#machine.typeAt(state, index);
    if (type === LUA_TYPE.number) return String(lua.lua_tonumberx(state, index, null));
    return type <= LUA_TYPE.nil ? 'nothing' : `a ${lua.lua_typename(state, type)}`;
  }

  /**
   * Pushes a result. Numbers are pushed as floats, because Lua integers overflow, unless `counts`
   * is true.
   */
  push(state: number, value: Result, counts = false): void {
    const { lua } = this.#machine;
    if (typeof value === 'number' && counts) lua.lua_pushinteger(state, BigInt(value));
    else if (typeof value === 'number') lua.lua_pushnumber(state, value);
    else if (typeof value === 'boolean') lua.lua_pushboolean(state, value ? 1 : 0);
    else if (typeof value === 'string') this.#machine.pushString(state, value);
    else if (isTensor(value)) this.#tensors.push(state, value);
    else this.#pushList(state, value, counts);
  }

  #number(state: number, index: number): number | undefined {
    const { lua } = this.#machine;
    // Checks the type, because Lua would also convert numeric strings.
    return this.#machine.typeAt(state, index) === LUA_TYPE.number
      ? lua.lua_tonumberx(state, index, null)
      : undefined;
  }

  #operand(state: number, index: number): Operand | undefined {
    return this.#number(state, index) ?? this.#tensors.at(state, index);
  }

  #pushList(state: number, list: readonly Result[], counts: boolean): void {
    const { lua } = this.#machine;
    lua.luaL_checkstack(state, 2, 'too many levels');
    lua.lua_createtable(state, list.length, 0);
    for (const [at, value] of list.entries()) {
      this.push(state, value, counts);
      lua.lua_rawseti(state, -2, BigInt(at + 1));
    }
  }

  #list<T>(state: number, index: number, element: () => T | undefined): T[] | undefined {
    const { lua } = this.#machine;
    if (this.#machine.typeAt(state, index) !== LUA_TYPE.table) return undefined;
    const list: T[] = [];
    const length = lua.lua_rawlen(state, index);
    for (let at = 1; at <= length; at++) {
      lua.lua_rawgeti(state, index, BigInt(at));
      const value = element();
      lua.lua_settop(state, -2);
      if (value === undefined) return undefined;
      list.push(value);
    }
    return list;
  }

  /** Values other than numbers are returned as descriptions, for messages that include their position. */
  #nested(state: number, index: number, depth: number): unknown[] | undefined {
    if (depth > MAX_TABLE_DEPTH) return undefined;
    const { lua } = this.#machine;
    lua.luaL_checkstack(state, 1, 'too many levels');
    return this.#list<unknown>(state, index, () => {
      const type = this.#machine.typeAt(state, -1);
      if (type === LUA_TYPE.table) return this.#nested(state, lua.lua_gettop(state), depth + 1);
      return this.#number(state, -1) ?? this.describe(state, -1);
    });
  }

  #callback(state: number, index: number, returns: CallbackResult): Callback | undefined {
    const { lua } = this.#machine;
    if (this.#machine.typeAt(state, index) !== LUA_TYPE.function) return undefined;
    return (...given) => {
      lua.luaL_checkstack(state, given.length + 1, 'too many calls');
      lua.lua_pushvalue(state, index);
      for (const value of given) this.push(state, value);
      lua.lua_callk(state, given.length, 1, 0, null);
      const result = returns === 'number' ? this.#number(state, -1) : this.#operand(state, -1);
      const found = result === undefined ? this.describe(state, -1) : '';
      lua.lua_settop(state, -2);
      if (result !== undefined) return result;
      const wanted = returns === 'number' ? 'a number' : 'a tensor or a number';
      throw new Error(`the function must return ${wanted}, not ${found}`);
    };
  }
}

const isTensor = (value: object): value is Tensor => 'data' in value;

const whole = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) ? value : undefined;

/** Maximum depth of nested lists and objects. */
const MAX_DEPTH = 64;

/**
 * Pushes a JSON value onto Lua's stack. Lists become tables with indexes from 1, null becomes nil,
 * and whole numbers become integers.
 */
export function pushJson(machine: LuaMachine, state: number, value: unknown, depth = 0): void {
  const { lua } = machine;
  if (depth > MAX_DEPTH) throw new Error(`a value is nested deeper than ${MAX_DEPTH} lists and objects`);
  lua.luaL_checkstack(state, 3, 'too many levels');
  if (typeof value === 'string') machine.pushString(state, value);
  else if (typeof value === 'boolean') lua.lua_pushboolean(state, value ? 1 : 0);
  else if (typeof value === 'number' && Number.isSafeInteger(value))
    lua.lua_pushinteger(state, BigInt(value));
  else if (typeof value === 'number') lua.lua_pushnumber(state, value);
  else if (typeof value !== 'object' || value === null) lua.lua_pushnil(state);
  else {
    lua.lua_createtable(state, 0, 0);
    const isList = Array.isArray(value);
    for (const [key, member] of Object.entries(value)) {
      if (isList) lua.lua_pushinteger(state, BigInt(key) + 1n);
      else machine.pushString(state, key);
      pushJson(machine, state, member, depth + 1);
      lua.lua_rawset(state, -3);
    }
  }
}
