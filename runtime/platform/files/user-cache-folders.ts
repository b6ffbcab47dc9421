import { isAbsolute, join } from 'node:path';
import { homeFolder } from './home-folder.ts';

/** The system's cache folders for programs of this user, in order of preference. Relative values of XDG_CACHE_HOME are invalid. */
export function userCacheFolders(env: NodeJS.ProcessEnv): string[] {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = env;
  const home = homeFolder();
  const folders = [
    xdg && isAbsolute(xdg) && join(xdg, 'encoderfile'),
    process.platform === 'win32' && local && join(local, 'encoderfile', 'cache'),
    process.platform === 'darwin' && home && join(home, 'Library', 'Caches', 'encoderfile'),
    home && join(home, '.cache', 'encoderfile'),
  ];
  return folders.filter((folder): folder is string => Boolean(folder));
}
