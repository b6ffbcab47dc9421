import { randomBytes } from 'node:crypto';
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { explainWriteError } from '../../runtime/core/write-error.ts';
import { sha256 } from './hash.ts';
import { isRunning } from './processes.ts';

/**
 * Writes a file that appears complete or not at all: `write` fills a temporary file beside it, which then takes its place.
 * What stood there before is untouched until that moment, whatever goes wrong.
 */
export async function writeAtomically(
  path: string,
  mode: number,
  write: (file: FileHandle, temporaryPath: string) => Promise<void>,
): Promise<void> {
  const prefix = temporaryPrefix(path);
  const temporary = join(dirname(path), `${prefix}${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
  try {
    await mkdir(dirname(path), { recursive: true });
    await removeLeftovers(dirname(path), prefix);
    const file = await open(temporary, 'wx+', 0o600);
    try {
      await write(file, temporary);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(temporary, mode);
    await rename(temporary, path);
  } catch (error) {
    // Fails too where the folder itself is the problem; the first error is the one to tell.
    await rm(temporary, { force: true }).catch(() => {});
    throw explainWriteError(path, error);
  }
}

/** Temporary files of builds that were killed: theirs are the process ids that no longer run. */
async function removeLeftovers(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(prefix) && /^(\d+)-[0-9a-f]{8}\.tmp$/.exec(name.slice(prefix.length))?.[1];
    if (pid && !isRunning(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/** Named by a hash: a name that just fits the file system leaves no room for more letters. */
const temporaryPrefix = (path: string): string => `.encoderfile-${sha256(basename(path)).slice(0, 12)}-`;
