import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import type { Answer } from '../../helpers/run-process.ts';
import { filesIn } from './arms.ts';
import type { CommandArm } from '../command-arms.ts';

export interface CommandFolder {
  /** Runs a command on the folder's two files. */
  readonly run: (...args: string[]) => Promise<Answer>;
  readonly path: (name: string) => string;
  readonly write: (name: string, text: string) => void;
  /** The text of a file; empty if it does not exist. */
  readonly read: (name: string) => string;
}

/** A folder for every test of a file, and a way to run commands on its files. */
export function useCommandFolder(): (arm: Pick<CommandArm, 'run'>) => CommandFolder {
  const folder = useTempFolder();
  const path = (name: string): string => join(folder(), name);
  return (arm) => ({
    path,
    run: (...args) => arm.run([...filesIn(folder()), ...args]),
    write: (name, text) => writeFileSync(path(name), text, { mode: 0o600 }),
    read: (name) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : ''),
  });
}
