import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { configError, messageOf } from '../../contract/errors.ts';

/** The text of a file, or, for `-`, of standard input; `what` is for the message, as `the arguments`. */
export async function readInput(path: string, what: string): Promise<string> {
  try {
    return path === '-' ? await readAll(process.stdin) : readFileSync(path, 'utf8');
  } catch (error) {
    throw configError(`Cannot read ${what}: ${messageOf(error)}.`, error);
  }
}
