import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userCacheFolders } from '../files/home-folder.ts';

/**
 * The variable for an executable's cache folder; also the `--cache-dir` flag of every command that
 * loads a model.
 */
export const CACHE_DIR_VARIABLE = 'ENCODERFILE_CACHE_DIR';

/**
 * Returns the candidate folders for extracted native libraries, in order of preference. If the user
 * chose a folder, it is the only candidate. The later ones are for machines whose home folder is
 * read-only or not executable.
 */
export function cacheFolders(chosen: string | undefined, env: NodeJS.ProcessEnv = process.env): string[] {
  if (chosen) return [chosen];
  const user = String(process.getuid?.() ?? 'user');
  const folders = [
    ...userCacheFolders(env),
    env['XDG_RUNTIME_DIR'] && join(env['XDG_RUNTIME_DIR'], 'encoderfile'),
    join(tmpdir(), `encoderfile-${user}`),
    process.platform === 'linux' && join('/var/tmp', `encoderfile-${user}`),
    process.platform === 'linux' && join('/dev/shm', `encoderfile-${user}`),
  ];
  return [...new Set(folders.filter((folder): folder is string => Boolean(folder)))];
}
