import type { LuaWasm } from 'wasmoon';

/** The functions that Lua can call, by their pointers. */
export interface FunctionTable {
  readonly get: (pointer: number) => (state: number) => number;
}

/** The types that this folder is compiled with do not declare WebAssembly. */
declare const WebAssembly: { readonly Table: { readonly prototype: object } };

/** The package does not export the table, but it becomes visible when a function is added to it. */
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
