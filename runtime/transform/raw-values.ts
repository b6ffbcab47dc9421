import type { LuaWasm } from 'wasmoon';

/** Members of the package that its types lack, or describe as something else. */
interface Raw {
  readonly lua_rawlen: (state: number, index: number) => bigint | number;
  readonly lua_toboolean: (state: number, index: number) => number;
  readonly module: {
    readonly HEAPU8: Uint8Array;
    readonly _lua_tolstring: (state: number, index: number, length: number) => number;
  };
}

const raw = (lua: LuaWasm): Raw => lua as unknown as Raw;

/** Bytes of a string, or elements of the list in a table. */
export const rawLength = (lua: LuaWasm, state: number, index: number): number =>
  Number(raw(lua).lua_rawlen(state, index));

export const isTrue = (lua: LuaWasm, state: number, index: number): boolean =>
  raw(lua).lua_toboolean(state, index) !== 0;

/** The bytes of a string, until Lua runs again. */
export function bytesAt(lua: LuaWasm, state: number, index: number): Uint8Array {
  const { HEAPU8, _lua_tolstring: toBytes } = raw(lua).module;
  const start = toBytes(state, index, 0);
  return HEAPU8.subarray(start, start + rawLength(lua, state, index));
}
