import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { ProcessLaunch } from '../../config/spec.ts';

/** Finds the file that a launch would run, in the same way as the system; undefined if there is none. */
export function findCommand({ command, env, cwd = process.cwd() }: ProcessLaunch): string | undefined {
  if (isAbsolute(command)) return runnable(command);
  if (/[\\/]/.test(command)) return runnable(resolve(cwd, command));
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of folders) {
    const found = runnable(join(folder, command));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** File extensions that can be omitted on Windows. */
const EXTENSIONS = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];

function runnable(path: string): string | undefined {
  return EXTENSIONS.map((extension) => path + extension).find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}
