import { lstatSync, type Stats, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeFile, NativeList } from '#contract/native.ts';

/**
 * Returns the folder below `root` with the extracted files of `list`, if it is complete, trusted
 * and unchanged.
 */
export function findUnpacked(root: string, list: NativeList): string | undefined {
  return findFolder(root, list, isUnchanged);
}

const isUnchanged = (stats: Stats, file: NativeFile): boolean =>
  stats.size === file.bytes && isSealed(stats, file);

/** Whether a file exists and was extracted as it is in the list. */
export function isSealedFile(path: string, file: NativeFile): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && isUnchanged(found, file);
}

/** Returns that folder if it is trusted and `isRight` accepts each of its files. */
export function findFolder(
  root: string,
  list: NativeList,
  isRight: (stats: Stats, file: NativeFile, path: string) => boolean,
): string | undefined {
  const folder = unpackedFolder(root, list);
  try {
    if (!isTrustedFolder(root) || !isTrustedFolder(nativeFolder(root)) || !isTrustedFolder(folder))
      return undefined;
    const complete = list.files.every((file) => {
      const path = join(folder, file.name);
      const found = lstatSync(path);
      return found.isFile() && isRight(found, file, path);
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

/**
 * A file whose content was verified against its SHA-256 gets a modification time derived from that
 * hash. A program that writes to the file sets the current time instead, so each start can detect a
 * changed file without reading it: hashing all files would take as long as a whole start.
 */
export function sealFile(path: string, file: NativeFile): void {
  utimesSync(path, sealTime(file), sealTime(file));
}

/** Fractions of a second are ignored, because archives and container images drop them. */
const isSealed = (stats: Stats, file: NativeFile): boolean =>
  Math.floor(stats.mtimeMs / 1000) === sealTime(file);

/**
 * A time between 2000 and 2017, in seconds. It is even, because some file systems have a resolution
 * of two seconds.
 */
const sealTime = ({ sha256 }: NativeFile): number => YEAR_2000 + 2 * Number.parseInt(sha256.slice(0, 7), 16);
const YEAR_2000 = 946_684_800;
