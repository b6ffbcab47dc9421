import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../sha256.ts';
import { errorCode } from '#core/values/error-code.ts';

/** Maximum age of temporary files from other machines or containers, whose processes cannot be checked. */
const MAX_AGE_MS = 24 * 3_600_000;

/**
 * Returns a temporary path next to `path`. It is unique even if every process has the same id, as
 * in containers, and never exceeds the maximum name length.
 */
export const temporaryPath = (path: string): string =>
  join(dirname(path), `${prefixOf(path)}${ownerTag()}.tmp`);

/** A unique part of a file name that identifies this process as the file's owner. */
export const ownerTag = (): string => `${ownerOf(process.pid)}-${randomBytes(6).toString('hex')}`;

/** Whether the process that put this owner tag into a file name was killed; false for other tags. */
export function isAbandoned(path: string, tag: string): boolean {
  const [, machine, pid] = TAG.exec(tag) ?? [];
  return machine !== undefined && isLeftover(path, machine, Number(pid));
}

/** Removes temporary files and folders for `path` that killed processes left behind. */
export function removeLeftovers(path: string): void {
  const prefix = prefixOf(path);
  for (const name of namesIn(dirname(path))) {
    if (!name.startsWith(prefix) || !name.endsWith('.tmp')) continue;
    const leftover = join(dirname(path), name);
    if (isAbandoned(leftover, name.slice(prefix.length, -'.tmp'.length))) tryRemove(leftover);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A problem with the folder is reported when something is written to it.
    return [];
  }
}

/** Removes only this user's files: temporary folders are shared with other users. */
function tryRemove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Files of other users are not removed.
  }
}

const TAG = /^([0-9a-f]{8})-(\d+)-[0-9a-f]{12}$/;

const prefixOf = (path: string): string => `.encoderfile-${shortHash(basename(path), 12)}-`;
const ownerOf = (pid: number): string => `${shortHash(hostname(), 8)}-${pid}`;
const shortHash = (text: string, length: number): string => sha256(Buffer.from(text)).slice(0, length);

function isLeftover(path: string, machine: string, pid: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (machine !== shortHash(hostname(), 8)) return Date.now() - found.mtimeMs > MAX_AGE_MS;
  // A file with this process's id that is older than this process belongs to an earlier process.
  return pid === process.pid ? found.mtimeMs < performance.timeOrigin : !isRunning(pid);
}

/** Whether a process with this id exists, owned by any user. @internal */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
