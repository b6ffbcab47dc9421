import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { configError } from '../../../contract/errors.ts';
import { explainWriteError } from '../../../core/write-error.ts';

/** An edit takes milliseconds; one that takes so long hangs. */
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
    if (await takeAway(lock)) continue;
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

/** What a lock says: the process that holds it, and the machine it runs on. */
export const lockOwner = (pid: number): string => `${pid} ${hostname()}\n`;

async function take(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, lockOwner(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw explainWriteError(lock, error);
  }
}

/** Takes the lock from a process that was killed. Resolves with whether it may be free now. */
async function takeAway(lock: string): Promise<boolean> {
  const owner = await readFile(lock, 'utf8').catch(() => '');
  const pid = Number(owner.split(' ', 1)[0]);
  if (owner === '' || owner !== lockOwner(pid) || isRunning(pid)) return false;
  const aside = `${lock}.${process.pid}`;
  try {
    await rename(lock, aside);
    // Somebody else may have been faster, and hold the lock that was there by now.
    if ((await readFile(aside, 'utf8')) !== owner) await link(aside, lock);
  } catch {
    // It was taken away already.
  } finally {
    await rm(aside, { force: true });
  }
  return true;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
