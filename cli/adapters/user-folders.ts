import { isAbsolute, join } from 'node:path';
import { configError } from '../../runtime/contract/errors.ts';
import { homeFolder } from '../../runtime/platform/files/home-folder.ts';

/** The default folder for base runtimes: the system's cache folder for this user. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const xdg = env['XDG_CACHE_HOME'];
  if (xdg && isAbsolute(xdg)) return join(xdg, 'encoderfile');
  const local = env['LOCALAPPDATA'];
  if (process.platform === 'win32' && local) return join(local, 'encoderfile', 'cache');
  const home = homeFolder();
  if (home === undefined) {
    throw configError(
      'No cache folder: neither HOME nor XDG_CACHE_HOME is set. Set `cache_dir`, or pass --cache-dir.',
    );
  }
  return process.platform === 'darwin'
    ? join(home, 'Library', 'Caches', 'encoderfile')
    : join(home, '.cache', 'encoderfile');
}
