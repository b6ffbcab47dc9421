import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type AppError, configError } from '../../contract/errors.ts';
import { explainWriteError } from '../../core/write-error.ts';

/** Makes a folder with those above it. Node's own way to do so never returns where a file system makes none, as in /proc. */
export function makeFolders(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may make it at the same time.
    if (existsSync(folder)) return;
    throw codeOf(error) === 'ENOENT' ? takesNone(folder, error) : explainWriteError(folder, error);
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** The folder above it is there. */
const takesNone = (folder: string, error: unknown): AppError =>
  configError(
    `Cannot create the folder ${folder}: ${dirname(folder)} does not allow new folders. Choose another folder.`,
    error,
  );
