import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type AppError, configError } from '#contract/errors.ts';
import { explainWriteError } from './write-error.ts';
import { errorCode } from '#core/values/error-code.ts';

/**
 * Creates a folder and its parents. Node's recursive mkdir never returns on file systems that do
 * not support folders, such as /proc.
 */
export function createFolders(folder: string, mode: number, elsewhere?: string): void {
  if (existsSync(folder)) return;
  createFolders(dirname(folder), mode, elsewhere);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process can create it concurrently.
    if (existsSync(folder)) return;
    throw errorCode(error) === 'ENOENT'
      ? takesNone(folder, error)
      : explainWriteError(folder, error, elsewhere);
  }
}

/** The error for a parent folder that exists but does not allow new folders. */
const takesNone = (folder: string, error: unknown): AppError =>
  configError(
    `Cannot create the folder ${folder}: ${dirname(folder)} does not allow new folders. Choose another folder.`,
    error,
  );
