import { constants } from 'node:fs';
import { lstat, open, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';

const DAY_MS = 86_400_000;
/** Files that no process has used for this long are deleted. */
const MAX_UNUSED_MS = 30 * DAY_MS;
/** The name of a temporary file, which a killed process can leave behind. */
const TEMPORARY = /^\.encoderfile-.*\.tmp$/;
/** Others can write to the file or folder. */
const WRITABLE_BY_OTHERS = 0o022;

/** Windows has no owners and modes; there, the folder inherits its parent's permissions. */
const hasModes = process.platform !== 'win32';

interface Owned {
  readonly uid: number;
  readonly mode: number;
}

/** Explains why a file is not trustworthy; undefined if only this user can write to it. */
function problemOf({ uid, mode }: Owned): string | undefined {
  if (!hasModes) return undefined;
  if (uid !== process.getuid?.()) return 'it belongs to another user';
  return (mode & WRITABLE_BY_OTHERS) === 0 ? undefined : 'other users can write to it';
}

/** Rejects unless the path is a folder that only this user can write to. */
export async function requireOwnFolder(folder: string): Promise<void> {
  const found = await lstat(folder);
  const problem = found.isDirectory() ? problemOf(found) : 'it is not a folder';
  if (problem !== undefined) throw new Error(`${folder}: ${problem}`);
}

/** Reads a regular file that only this user can write to. */
export async function readOwnFile(path: string, maxBytes: number): Promise<Buffer> {
  // Without waiting, in case the path is a named pipe. A link could lead to any other file.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    const problem = found.isFile() ? problemOf(found) : 'it is not a regular file';
    if (problem !== undefined) throw new Error(problem);
    if (found.size > maxBytes) throw new Error('the file is too large');
    // Files that are in use stay younger than the maximum age.
    if (Date.now() - found.mtimeMs > DAY_MS) await utimes(path, new Date(), new Date()).catch(() => {});
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Removes what must not be overwritten in place: writing would follow a link, and keep the file's permissions. */
export async function removeUntrusted(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || (found.isFile() && problemOf(found) === undefined)) return;
  await rm(path, { recursive: true, force: true });
}

/** Deletes the files with these names that no process has used for a month, and those that killed processes left behind. */
export async function removeUnused(folder: string, names: RegExp): Promise<void> {
  const now = Date.now();
  for (const name of await readdir(folder)) {
    const maxAge = names.test(name) ? MAX_UNUSED_MS : TEMPORARY.test(name) ? DAY_MS : Infinity;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found && now - found.mtimeMs > maxAge) await rm(path, { force: true }).catch(() => {});
  }
}
