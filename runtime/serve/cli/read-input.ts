import { lookup } from '#core/values/lookup.ts';
import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { configError, messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';

/**
 * Reads a file, or standard input if the path is `-`. `what` is the name of the content in
 * messages, for example `the arguments`.
 */
export async function readInput(path: string, what: string): Promise<string> {
  try {
    return path === '-' ? await readAll(process.stdin) : readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error) ?? '';
    throw configError(`Cannot read ${what}: ${REASONS[code]?.(path) ?? messageOf(error)}.`, error);
  }
}

const REASONS = lookup<(path: string) => string>({
  ENOENT: (path) => `no such file: ${path}. Check the path`,
  ENOTDIR: (path) => `no such file: ${path}. Check the path`,
  EISDIR: (path) => `${path} is a folder. Pass a file`,
  EACCES: (path) => `permission denied: ${path}. Change its permissions`,
});
