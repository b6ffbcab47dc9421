/** SEA assets of a base runtime, which the builder writes and the executable reads. */
export const ASSET_NATIVE_LIST = 'native.json';
export const nativeAsset = (file: string): string => `native/${file}.zst`;
export const workerAsset = (name: string): string => `worker/${name}.js`;
export const textAsset = (name: string): string => `text/${name}`;
export const dataAsset = (name: string): string => `data/${name}.zst`;
/** License notices for everything in the executable, compressed. */
export const ASSET_NOTICES = 'notices.txt.zst';

/** Lua compiled to WebAssembly, which is stored with the native libraries. */
export const LUA_WASM = 'lua.wasm';

/** The native libraries of a base runtime: the `native.json` asset. */
export interface NativeList {
  /** Hash of the content of all files, which is also the name of their folder in the cache. */
  readonly key: string;
  readonly files: readonly NativeFile[];
  /** Files that only a GPU needs. They are extracted into the same folder when a GPU is requested. */
  readonly gpuFiles?: readonly NativeFile[];
}

export interface NativeFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}
