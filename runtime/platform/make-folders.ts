import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { explainWriteError } from '../core/write-error.ts';

/** Makes a folder with those above it. Node's own way to do so never returns where a file system makes none, as in /proc. */
export function makeFolders(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may make it at the same time.
    if (!existsSync(folder)) throw explainWriteError(folder, error);
  }
}
