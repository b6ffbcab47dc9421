import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { explainWriteError } from '../../runtime/core/write-error.ts';
import { isRunning } from './processes.ts';

/** Runs `use` with a new folder below `root`, and removes it again; also those that killed processes left there. */
export async function withWorkFolder<Result>(
  root: string,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const parent = join(root, 'work');
  const folder = await make(parent);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function make(parent: string): Promise<string> {
  try {
    await mkdir(parent, { recursive: true });
    for (const name of await readdir(parent)) {
      const pid = /^(\d+)-/.exec(name)?.[1];
      if (pid && !isRunning(Number(pid))) await rm(join(parent, name), { recursive: true, force: true });
    }
    return await mkdtemp(join(parent, `${process.pid}-`));
  } catch (error) {
    throw explainWriteError(parent, error);
  }
}
