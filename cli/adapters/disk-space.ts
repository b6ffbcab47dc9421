import { statfs } from 'node:fs/promises';
import { AppError, configError } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';

/** Below this much free space, a disk counts as full. Every file that a build writes is larger. */
const MIN_FREE_BYTES = 1_048_576;

/**
 * Returns the error to report after writing to `folder` failed. Other tools do not report a full
 * disk as such, so this function checks the free space. Call it before the incomplete files are
 * removed.
 */
export async function explainFullDisk(folder: string, error: unknown): Promise<unknown> {
  if (isExplained(error) || !(await isFull(folder))) return error;
  return configError(
    `Cannot write ${folder}: the disk is full. Free some space, or choose another folder with --cache-dir.`,
    error,
  );
}

const isExplained = (error: unknown): boolean =>
  error instanceof AppError && errorCode(error.cause) === 'ENOSPC';

async function isFull(folder: string): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined);
  return disk !== undefined && disk.bavail * disk.bsize < MIN_FREE_BYTES;
}
