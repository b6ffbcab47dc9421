import type { LuaMachine } from './lua-machine.ts';

/** Maximum nesting of lists and objects. */
const MAX_DEPTH = 64;

/** Pushes a JSON value on Lua's stack. Lists are tables from 1, null is nil, and whole numbers are integers. */
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
