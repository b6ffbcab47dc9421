import { DT, readDynamic } from './elf-dynamic.ts';

/**
 * Makes the dynamic loader search a library's own folders for the libraries that it links to, before
 * those in LD_LIBRARY_PATH, which is set on many machines to another version of ONNX Runtime. Returns
 * the input if the library states no folders.
 */
export function searchOwnFoldersFirst(input: Uint8Array): Uint8Array {
  const runpaths = readDynamic(input)?.entries.filter(({ tag }) => tag === DT.RUNPATH) ?? [];
  if (runpaths.length === 0) return input;
  const file = new Uint8Array(input);
  const view = new DataView(file.buffer);
  for (const { at } of runpaths) view.setBigUint64(at, BigInt(DT.RPATH), true);
  return file;
}
