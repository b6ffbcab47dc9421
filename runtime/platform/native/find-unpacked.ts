import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeList } from '../../contract/native.ts';

/** Returns the folder below `root` with the extracted files of `list`, if it is complete and trusted. */
export function findUnpacked(root: string, list: NativeList): string | undefined {
  const folder = unpackedFolder(root, list);
  try {
    if (!isTrustedFolder(root) || !isTrustedFolder(nativeFolder(root)) || !isTrustedFolder(folder))
      return undefined;
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
 * Whether only this user (or root) controls a folder. Its files are executed, and temporary folders are writable by everyone,
 * so another user could have created ours first.
 */
export function isTrustedFolder(folder: string): boolean {
  const [link, target] = [lstatSync(folder), statSync(folder)];
  if (!target.isDirectory()) return false;
  const user = process.getuid?.();
  if (user === undefined) return true;
  // The owner of a symbolic link can redirect it, so check the link as well as its target.
  return (
    [link, target].every(({ uid }) => uid === user || uid === 0) && (target.mode & WRITABLE_BY_OTHERS) === 0
  );
}

const WRITABLE_BY_OTHERS = 0o002;

export const nativeFolder = (root: string): string => join(root, 'native');
export const unpackedFolder = (root: string, list: NativeList): string =>
  join(nativeFolder(root), list.key.slice(0, 32));
