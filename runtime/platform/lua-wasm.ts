import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isSea } from 'node:sea';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LUA_WASM } from '#contract/native.ts';
import { readDataAsset } from './data-asset.ts';

/**
 * Calls `use` with the path of Lua as WebAssembly. An executable, which contains it as data,
 * extracts it for this call.
 */
export async function withLuaWasm<Result>(use: (path: string) => Promise<Result>): Promise<Result> {
  if (!isSea()) return await use(createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm'));
  const folder = await mkdtemp(join(tmpdir(), 'encoderfile-lua-'));
  try {
    const path = join(folder, LUA_WASM);
    await writeFile(path, readDataAsset(LUA_WASM, pathToFileURL(path)), { mode: 0o600 });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
