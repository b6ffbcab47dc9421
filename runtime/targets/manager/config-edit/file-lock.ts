import { open, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { configError } from '../../../contract/errors.ts';
import { explainWriteError } from '../../../core/write-error.ts';

/** An edit takes milliseconds; one that takes so long hangs, or was killed. */
const PATIENCE = 5000;

/** Does work while nobody else who asks the same way edits the file. */
export async function withFileLock<Result>(
  path: string,
  work: () => Promise<Result>,
  patience = PATIENCE,
): Promise<Result> {
  const lock = `${path}.lock`;
  const deadline = Date.now() + patience;
  while (!(await take(lock))) {
    if (Date.now() >= deadline) {
      throw configError(
        `${path} is being edited by another command: ${lock} is there. If none is running, delete that file.`,
      );
    }
    await sleep(20);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw explainWriteError(lock, error);
  }
}
