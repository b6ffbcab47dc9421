import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { configError, messageOf } from '../../contract/errors.ts';

/** The text of a file, or, for `-`, of standard input; `what` is for the message, as `the arguments`. */
export async function readInput(path: string, what: string): Promise<string> {
  try {
    return path === '-' ? await readAll(process.stdin) : readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw configError(`Cannot read ${what}: ${REASONS[code]?.(path) ?? messageOf(error)}.`, error);
  }
}

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no file ${path}. Correct its name`,
  ENOTDIR: (path) => `there is no file ${path}. Correct its name`,
  EISDIR: (path) => `${path} is a folder. Name a file`,
  EACCES: (path) => `${path} may not be read. Change its permissions`,
};
