import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { messageOf } from '#contract/errors.ts';
import type { NativeList } from '#contract/native.ts';
import { temporaryPath, removeLeftovers } from '../files/temporary.ts';
import { sha256 } from '../sha256.ts';
import {
  findFolder,
  findUnpacked,
  isTrustedFolder,
  nativeFolder,
  unpackedFolder,
  sealFile,
} from './find-unpacked.ts';

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
  const folder = unpackedFolder(root, list);
  mkdirSync(nativeFolder(root), { recursive: true, mode: 0o700 });
  for (const parent of [root, nativeFolder(root)]) {
    if (!isTrustedFolder(parent))
      throw new Error(`${parent} belongs to another user, or is writable by everyone`);
  }
  removeLeftovers(folder);
  const scratch = temporaryPath(folder);
  mkdirSync(scratch, { mode: 0o700 });
  try {
    for (const file of list.files) {
      const bytes = zstdDecompressSync(readAsset(file.name));
      if (sha256(bytes) !== file.sha256) throw new Error(`${file.name} inside the executable is corrupted`);
      const path = join(scratch, file.name);
      writeDurably(path, bytes);
      sealFile(path, file);
    }
    putInPlace(scratch, folder, () => findUnpacked(root, list) !== undefined);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
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

/** Renames a folder. `isThere` is whether another process has already written the complete folder. */
export function putInPlace(scratch: string, folder: string, isThere: () => boolean): void {
  try {
    renameSync(scratch, folder);
  } catch (error) {
    // Another process was faster, or the existing folder is incomplete or not trusted.
    if (isThere()) return;
    try {
      rmSync(folder, { recursive: true, force: true });
      renameSync(scratch, folder);
    } catch {
      if (!isThere()) throw new Error(`cannot write ${folder}: ${messageOf(error)}`, { cause: error });
    }
  }
}
