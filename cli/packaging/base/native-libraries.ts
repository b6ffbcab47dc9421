import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LUA_WASM, type NativeFile, type NativeList } from '#contract/native.ts';
import { DECODER_WASM, type DecoderWasm, decoderWasmFile } from '#platform/images/decoder-wasm.ts';
import { type Platform, shortName } from '#contract/platforms.ts';
import { sha256 } from '#platform/sha256.ts';
import { packageFolder } from '../../adapters/own-files.ts';
import { isElf64 } from '../binary/elf-needs.ts';
import { searchOwnFoldersFirst } from '../binary/elf-search.ts';

export interface NativeSources {
  readonly list: NativeList;
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

/**
 * Reads Lua and the native libraries for a platform. Nothing is downloaded, because the installed
 * npm packages contain the libraries for every platform.
 */
export async function readNativeLibraries(platform: Platform): Promise<NativeSources> {
  const bytes = new Map<string, Uint8Array>();
  for (const [name, path] of nativePaths(platform)) {
    const content = await readFile(path);
    bytes.set(name, isElf64(content) ? searchOwnFoldersFirst(content) : content);
  }
  const all = [...bytes].map(([name, content]) => ({
    name,
    bytes: content.length,
    sha256: sha256(content),
  }));
  const key = sha256(JSON.stringify(all));
  const isForGpu = ({ name }: NativeFile): boolean => platform.webGpuFiles.includes(name);
  const gpuFiles = all.filter(isForGpu);
  const files = all.filter((file) => !isForGpu(file));
  return { list: { key, files, ...(gpuFiles.length > 0 && { gpuFiles }) }, bytes };
}

function nativePaths(platform: Platform): [name: string, path: string][] {
  const onnxruntime = packageFolder('onnxruntime-node');
  const tokenizers = packageFolder('tokenizers');
  if (!onnxruntime || !tokenizers)
    throw new Error(`the native libraries for ${shortName(platform)} are not installed`);
  const folder = join(onnxruntime, 'bin', 'napi-v6', platform.os, platform.cpu);
  return [
    ...[...platform.onnxruntimeFiles, ...platform.webGpuFiles].map((name): [string, string] => [
      name,
      join(folder, name),
    ]),
    [platform.tokenizersFile, join(tokenizers, platform.tokenizersFile)],
    [LUA_WASM, luaWasmFile()],
  ];
}

/** The path of Lua compiled to WebAssembly, which runs on every platform. */
export function luaWasmFile(): string {
  const wasmoon = packageFolder('wasmoon');
  if (!wasmoon) throw new Error('wasmoon is not installed');
  return join(wasmoon, 'dist', 'glue.wasm');
}

/** The name and the path of each file in WebAssembly that reads images. */
export const decoderFiles = (): [name: string, path: string][] =>
  (Object.keys(DECODER_WASM) as DecoderWasm[]).map((name) => [name, decoderWasmFile(name)]);
