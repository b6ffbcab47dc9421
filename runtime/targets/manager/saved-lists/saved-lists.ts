import { constants } from 'node:fs';
import { lstat, open, readdir, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { writeText } from '#platform/files/write-text.ts';
import type { Logger } from '#serve/log.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { parseSavedCopy, type SavedCopy } from './saved-copy.ts';

/** The saved lists of lazy servers, one file per server, which several managers can share. */
export interface SavedLists {
  /** Returns a server's lists; undefined if there are none, or if the file is damaged or not trustworthy. */
  load(server: string, identity: string): Promise<SavedCopy | undefined>;
  /** Replaces the file. A failure is logged, and the lists are then only in memory. */
  save(server: string, copy: SavedCopy): Promise<void>;
}

/** Returns the folder of the saved lists, next to the secrets file. */
export const savedListsFolder = ({ runtime }: ConfigPaths): string => join(dirname(runtime), 'saved-lists');

/** Maximum size of a file. Larger lists are only kept in memory. */
const MAX_FILE_BYTES = 16 * 1_048_576;
const DAY_MS = 86_400_000;
/** Files that no manager has used for this long are deleted. */
const MAX_UNUSED_MS = 30 * DAY_MS;
const FILE = /^[\da-f]{64}\.json$/;
/** The name of a temporary file, which a killed process can leave behind. */
const TEMPORARY = /^\.encoderfile-.*\.tmp$/;
/** Others can write to the file or folder. */
const WRITABLE_BY_OTHERS = 0o022;

export function openSavedLists(folder: string, log: Logger): SavedLists {
  /** Whether saving fails, which is logged once. */
  let isFailing = false;
  let opened: Promise<boolean> | undefined;
  const pathOf = (identity: string): string => join(folder, `${identity}.json`);

  /** Whether there are files that can be used. A problem with the folder is logged once, not for each server. */
  async function openFolder(): Promise<boolean> {
    try {
      await requireOwnFolder(folder);
      await removeUnused(folder);
      return true;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') log.warn({ folder }, `saved lists are ignored: ${messageOf(error)}`);
      return false;
    }
  }

  return {
    async load(server, identity) {
      if (!(await (opened ??= openFolder()))) return undefined;
      const path = pathOf(identity);
      try {
        const copy = parseSavedCopy(await readOwnFile(path), identity);
        if (copy) return copy;
        throw new Error('the file is damaged');
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined;
        log.warn(
          { server, file: path },
          `saved lists are ignored, and will be read from the server again: ${messageOf(error)}`,
        );
        return undefined;
      }
    },
    async save(server, copy) {
      try {
        const written = JSON.stringify(copy);
        if (Buffer.byteLength(written) > MAX_FILE_BYTES) {
          throw new Error(`the lists are larger than ${MAX_FILE_BYTES / 1_048_576} MiB`);
        }
        createFolders(folder, 0o700);
        await requireOwnFolder(folder);
        const path = pathOf(copy.identity);
        await removeUntrusted(path);
        await writeText(path, written, { mode: 0o600 });
        opened = Promise.resolve(true);
        isFailing = false;
      } catch (error) {
        if (isFailing) return;
        isFailing = true;
        log.warn(
          { server, folder },
          `cannot save lists, which are lost when the manager stops: ${messageOf(error)}`,
        );
      }
    },
  };
}

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

async function requireOwnFolder(folder: string): Promise<void> {
  const found = await lstat(folder);
  const problem = found.isDirectory() ? problemOf(found) : 'it is not a folder';
  if (problem !== undefined) throw new Error(`${folder}: ${problem}`);
}

/** Reads a regular file that only this user can write to. */
async function readOwnFile(path: string): Promise<string> {
  // Without waiting, in case the path is a named pipe. A link could lead to any other file.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    const problem = found.isFile() ? problemOf(found) : 'it is not a regular file';
    if (problem !== undefined) throw new Error(problem);
    if (found.size > MAX_FILE_BYTES) throw new Error('the file is too large');
    // Files that are in use stay younger than the maximum age.
    if (Date.now() - found.mtimeMs > DAY_MS) await utimes(path, new Date(), new Date()).catch(() => {});
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Removes what must not be overwritten in place: writing would follow a link, and keep the file's permissions. */
async function removeUntrusted(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || (found.isFile() && problemOf(found) === undefined)) return;
  await rm(path, { recursive: true, force: true });
}

/** Deletes the files of servers that no longer exist, and those that killed processes left behind. */
async function removeUnused(folder: string): Promise<void> {
  const now = Date.now();
  for (const name of await readdir(folder)) {
    const maxAge = FILE.test(name) ? MAX_UNUSED_MS : TEMPORARY.test(name) ? DAY_MS : Infinity;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found && now - found.mtimeMs > maxAge) await rm(path, { force: true }).catch(() => {});
  }
}
