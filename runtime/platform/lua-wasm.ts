import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isSea } from 'node:sea';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LUA_WASM } from '#contract/native.ts';
import { readDataAsset } from './data-asset.ts';

/** Lua as WebAssembly, which can only be loaded from a file. */
export interface LuaWasmFile {
  /** Returns the path of the file, and writes it again if another program has removed it from the temporary folder. */
  readonly path: () => string;
  /** Removes the file, if it was extracted from an executable. */
  readonly remove: () => void;
}

/** Extracts Lua from an executable, which contains it as data, to the temporary folder. */
export function openLuaWasm(): LuaWasmFile {
  if (!isSea()) {
    const installed = createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm');
    return { path: () => installed, remove: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-lua-'));
  const path = join(folder, LUA_WASM);
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return {
    path() {
      if (existsSync(path)) return path;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(path, readDataAsset(LUA_WASM, pathToFileURL(path)), { mode: 0o600 });
      return path;
    },
    remove,
  };
}

/** Calls `use` with the path of Lua as WebAssembly, which only exists during this call. */
export async function withLuaWasm<Result>(use: (path: string) => Promise<Result>): Promise<Result> {
  const file = openLuaWasm();
  try {
    return await use(file.path());
  } finally {
    file.remove();
  }
}
