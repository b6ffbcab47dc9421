import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type { NativeFile, NativeList } from '#contract/native.ts';
import { sha256 } from '../sha256.ts';
import { temporaryPath } from '../files/temporary.ts';
import { findFolder, findUnpacked, isSealedFile, unpackedFolder, sealFile } from './find-unpacked.ts';
import { writeNativeFolder } from './write-folder.ts';

/**
 * Returns the folder below `root` with the files of `list`, and extracts them if they are missing.
 * The folder is written under a temporary name and then renamed, so concurrent first starts never
 * see an incomplete one.
 */
export function unpackNative(
  root: string,
  list: NativeList,
  readAsset: (file: string) => Uint8Array,
): string {
  const intact = findIntact(root, list);
  if (intact !== undefined) return intact;
  const write = (scratch: string): void => {
    for (const file of list.files) writeNative(join(scratch, file.name), file, readAsset);
  };
  const isThere = (): boolean => findUnpacked(root, list) !== undefined;
  return writeNativeFolder(root, unpackedFolder(root, list), write, isThere);
}

/**
 * Returns the folder if its files have lost their seals but are unchanged, for example after being
 * copied.
 */
function findIntact(root: string, list: NativeList): string | undefined {
  return findFolder(root, list, (stats, file, path) => {
    if (stats.size !== file.bytes || sha256(readFileSync(path)) !== file.sha256) return false;
    try {
      sealFile(path, file);
    } catch {
      // The files have another owner or are on a read-only file system: the next start compares
      // them again.
    }
    return true;
  });
}

/**
 * Adds the missing ones of some files to an extracted folder. Each gets its name when it is complete, because other
 * processes use the folder.
 */
export function addNative(
  folder: string,
  files: readonly NativeFile[],
  readAsset: (file: string) => Uint8Array,
): void {
  for (const file of files) {
    const path = join(folder, file.name);
    if (isSealedFile(path, file)) continue;
    const scratch = temporaryPath(path);
    try {
      writeNative(scratch, file, readAsset);
      renameSync(scratch, path);
    } catch (error) {
      // Another process was faster, and Windows does not replace a library that is loaded.
      if (!isSealedFile(path, file)) throw error;
    } finally {
      rmSync(scratch, { force: true });
    }
  }
}

function writeNative(path: string, file: NativeFile, readAsset: (file: string) => Uint8Array): void {
  const bytes = zstdDecompressSync(readAsset(file.name));
  if (sha256(bytes) !== file.sha256) throw new Error(`${file.name} inside the executable is corrupted`);
  writeDurably(path, bytes);
  sealFile(path, file);
}

function writeDurably(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, 'wx', 0o700);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  chmodSync(path, 0o500);
}
