import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { configError } from '../../contract/errors.ts';
import { explainWriteError } from '../../core/write-error.ts';

/** A lock that one process holds; the system releases it when the process ends, however it ends. */
export interface FileLock {
  release(): void;
}

/** An edit takes milliseconds; one that takes this long hangs. */
const PATIENCE_MS = 5000;
const RETRY_MS = 20;
/** Of a file that is there and can be written, in a row. */
const MAX_FAILURES = 20;

/** Runs `work` while no other process that takes the same lock works on `path`. */
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

/**
 * Takes the lock of a path, which is the file `<path>.lock` next to it; undefined if another process has it. Node has no locks of
 * its own, but SQLite takes the system's on its files: no process id is compared, so a killed holder or a container in which every
 * process is number 1 leaves nothing behind that blocks.
 */
export function tryLock(path: string): FileLock | undefined {
  const file = `${path}.lock`;
  for (let failures = 0; ;) {
    const before = createFile(file, path);
    const database = new DatabaseSync(file);
    try {
      database.exec('begin exclusive');
    } catch (error) {
      database.close();
      if (isBusy(error)) return undefined;
      // SQLite fails if the holder before us removes the file while we open it.
      failures += 1;
      if (failures === MAX_FAILURES) throw explainWriteError(file, error);
      continue;
    }
    // The holder before us removed the file that we locked, and another process can lock the new one.
    if (inodeOf(file) !== before) {
      database.close();
      continue;
    }
    return {
      release() {
        rmSync(file, { force: true });
        database.close();
      },
    };
  }
}

function createFile(file: string, path: string): bigint | undefined {
  try {
    const fd = openSync(file, 'a', 0o600);
    try {
      return fstatSync(fd, { bigint: true }).ino;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw explainWriteError(path, error);
  }
}

const inodeOf = (file: string): bigint | undefined =>
  statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;

const SQLITE_BUSY = 5;
const isBusy = (error: unknown): boolean =>
  ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
