import type { LuaWasm } from 'wasmoon';

/** The table with the functions that Lua can call, by pointer. */
export interface FunctionTable {
  readonly get: (pointer: number) => (state: number) => number;
}

/** WebAssembly is not declared by the types with which this folder is compiled. */
declare const WebAssembly: { readonly Table: { readonly prototype: object } };

/**
 * Returns Lua's function table. The Lua package does not export it, so this function intercepts the
 * table when a function is added to it.
 */
export function functionTable({ module }: LuaWasm): FunctionTable {
  const { prototype } = WebAssembly.Table;
  const set = Object.getOwnPropertyDescriptor(prototype, 'set') as PropertyDescriptor;
  const found: FunctionTable[] = [];
  Object.defineProperty(prototype, 'set', {
    ...set,
    value(this: FunctionTable, ...entry: readonly unknown[]) {
      found.push(this);
      Reflect.apply(set.value as () => void, this, entry);
    },
  });
  try {
    module.addFunction(() => 0, 'ii');
  } finally {
    Object.defineProperty(prototype, 'set', set);
  }
  const [table] = found;
  if (!table) throw new Error('Lua has no table of functions');
  return table;
}
