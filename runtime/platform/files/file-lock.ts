import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configError } from '#contract/errors.ts';
import { explainWriteError } from './write-error.ts';
import { memberOf } from '#core/values/member-of.ts';

/**
 * A lock held by one process. The operating system releases the lock when the process exits for any
 * reason.
 */
export interface FileLock {
  release(): void;
}

/** Lock timeout. An edit takes milliseconds, so a process that holds the lock longer hangs. */
const PATIENCE_MS = 5000;
const RETRY_MS = 20;
/** Maximum number of consecutive failures for a file that exists and is writable. */
const MAX_FAILURES = 20;

/** Runs `work` while no other process that uses this lock works on `path`. */
export async function withFileLock<Result>(
  path: string,
  work: () => Promise<Result>,
  patience = PATIENCE_MS,
): Promise<Result> {
  const deadline = Date.now() + patience;
  let lock = tryLock(path);
  while (lock === undefined) {
    if (Date.now() >= deadline)
      throw configError(
        `${path} is being edited by another command, which holds ${path}.lock. Retry when that command has finished.`,
      );
    await sleep(RETRY_MS);
    lock = tryLock(path);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Lock files of this process, because no other attempt in it may open them: see `tryLock`. */
const held = new Set<string>();

/**
 * Locks a path with the file `<path>.lock` next to it; returns undefined if the lock is held. Node
 * has no file locks, but SQLite uses the operating system's locks on its files. No process ids are
 * compared, so neither a killed holder nor a container in which every process is number 1 leaves a
 * stale lock. On POSIX, a process that closes any descriptor of a file loses all its locks on it,
 * so the descriptor of this function stays open until the lock is released.
 */
export function tryLock(path: string): FileLock | undefined {
  const file = `${path}.lock`;
  const key = resolve(file);
  if (held.has(key)) return undefined;
  for (let failures = 0; ;) {
    const fd = openLockFile(file, path);
    const database = new DatabaseSync(file);
    const close = (): void => {
      database.close();
      closeSync(fd);
    };
    try {
      database.exec('begin exclusive');
    } catch (error) {
      close();
      if (isBusy(error)) return undefined;
      // SQLite fails if the previous holder removes the file while it is being opened.
      failures += 1;
      if (failures === MAX_FAILURES) throw explainWriteError(file, error);
      continue;
    }
    // The previous holder removed the locked file, so another process can lock the new one. The
    // inode number of a removed file is reused for a new one, but not while the descriptor is open.
    if (inodeOf(file) !== fstatSync(fd, { bigint: true }).ino) {
      close();
      continue;
    }
    held.add(key);
    return {
      release() {
        if (process.platform === 'win32') {
          close();
          removeUnlessOpen(file);
        } else {
          rmSync(file, { force: true });
          close();
        }
        held.delete(key);
      },
    };
  }
}

/**
 * Windows cannot remove a file that SQLite has open, so the lock is released first. If another process has locked the file
 * meanwhile, it cannot be removed either, and that process removes it. If it has only opened the file, it finds out that the
 * file was removed by its inode number.
 */
function removeUnlessOpen(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Another process has locked it.
  }
}

function openLockFile(file: string, path: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (error) {
    throw explainWriteError(path, error);
  }
}

const inodeOf = (file: string): bigint | undefined =>
  statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;

const SQLITE_BUSY = 5;
const isBusy = (error: unknown): boolean => Number(memberOf(error, 'errcode') ?? 0) % 256 === SQLITE_BUSY;
