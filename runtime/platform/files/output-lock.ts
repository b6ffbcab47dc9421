import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFolders } from './create-folders.ts';
import { type FileLock, tryLock } from './file-lock.ts';
import type { FileTarget } from './output-target.ts';

const RETRY_MS = 100;

/**
 * Locks an output, so that a second command that writes it runs after the first one and sees its
 * result. Waits as long as another process holds the lock; `onWait` is called once before that.
 */
export async function lockOutput({ path }: Pick<FileTarget, 'path'>, onWait: () => void): Promise<FileLock> {
  createFolders(dirname(path), 0o777);
  let lock = tryLock(path);
  if (lock === undefined) onWait();
  while (lock === undefined) {
    await sleep(RETRY_MS);
    lock = tryLock(path);
  }
  return lock;
}
