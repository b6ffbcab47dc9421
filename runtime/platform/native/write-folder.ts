import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { messageOf } from '#contract/errors.ts';
import { removeLeftovers, temporaryPath } from '../files/temporary.ts';
import { isTrustedFolder, nativeFolder } from './find-unpacked.ts';

/**
 * Writes a folder of native libraries below `root`. It is written under a temporary name and then renamed, so that
 * other processes never see an incomplete one. `isThere` is whether another process has already written the complete folder.
 */
export function writeNativeFolder(
  root: string,
  folder: string,
  write: (scratch: string) => void,
  isThere: () => boolean,
): string {
  mkdirSync(nativeFolder(root), { recursive: true, mode: 0o700 });
  for (const parent of [root, nativeFolder(root)]) {
    if (!isTrustedFolder(parent))
      throw new Error(`${parent} belongs to another user, or is writable by everyone`);
  }
  removeLeftovers(folder);
  const scratch = temporaryPath(folder);
  mkdirSync(scratch, { mode: 0o700 });
  try {
    write(scratch);
    putInPlace(scratch, folder, isThere);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

function putInPlace(scratch: string, folder: string, isThere: () => boolean): void {
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
