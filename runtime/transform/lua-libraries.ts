import type { LuaWasm } from 'wasmoon';
import { ALWAYS_LIBRARIES, type LibraryName } from '#contract/transform.ts';
import { guardLibrary } from './guarded-calls.ts';
import type { LuaMachine } from './lua-machine.ts';

const OPEN: Record<LibraryName, (lua: LuaWasm, state: number) => void> = {
  table: (lua, state) => lua.luaopen_table(state),
  string: (lua, state) => lua.luaopen_string(state),
  math: (lua, state) => lua.luaopen_math(state),
  utf8: (lua, state) => lua.luaopen_utf8(state),
  coroutine: (lua, state) => lua.luaopen_coroutine(state),
  os: (lua, state) => lua.luaopen_os(state),
};

/** Pushes a table with the libraries of every script and these additional ones. */
export function pushLibraries(machine: LuaMachine, state: number, more: readonly LibraryName[]): void {
  const { lua } = machine;
  const names = new Set([...ALWAYS_LIBRARIES, ...more]);
  lua.lua_createtable(state, 0, names.size);
  for (const name of names) {
    OPEN[name](lua, state);
    guardLibrary(machine, state, name);
    lua.lua_setfield(state, -2, name);
  }
}
