import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeList } from '../../contract/native.ts';

/** The folder below `root` where the files of `list` lie unpacked and complete, if it is there and nobody else's. */
export function findUnpacked(root: string, list: NativeList): string | undefined {
  const folder = unpackedFolder(root, list);
  try {
    if (!isOurs(root) || !isOurs(nativeFolder(root)) || !isOurs(folder)) return undefined;
    const complete = list.files.every((file) => {
      const found = lstatSync(join(folder, file.name));
      return found.isFile() && found.size === file.bytes;
    });
    return complete ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether only we (or the system) decide what lies in a folder. What lies in it will be executed, and folders for temporary
 * files are open to everybody: somebody else may have made ours first.
 */
export function isOurs(folder: string): boolean {
  const [link, target] = [lstatSync(folder), statSync(folder)];
  if (!target.isDirectory()) return false;
  const user = process.getuid?.();
  if (user === undefined) return true;
  // A symbolic link can be pointed elsewhere by its owner, so that counts as well as where it leads.
  return (
    [link, target].every(({ uid }) => uid === user || uid === 0) && (target.mode & WRITABLE_BY_OTHERS) === 0
  );
}

const WRITABLE_BY_OTHERS = 0o002;

export const nativeFolder = (root: string): string => join(root, 'native');
export const unpackedFolder = (root: string, list: NativeList): string =>
  join(nativeFolder(root), list.key.slice(0, 32));
