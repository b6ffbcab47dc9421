import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Returns the home folder from HOME, or from the system's user list; undefined if there is none.
 * Without HOME, Node throws for a user id that is not in the list, as in a container started with
 * `--user 12345`.
 */
export const homeFolder = (): string | undefined => folderOf(homedir);

/** Returns the home folder in the same way, but an empty HOME counts as unset. */
export const homeOrAccountFolder = (): string | undefined =>
  homeFolder() ?? folderOf(() => userInfo().homedir);

/** Whether the system has an account for the user id of this process, even if HOME is set. */
export function isKnownUser(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

function folderOf(find: () => string): string | undefined {
  try {
    const folder = find();
    return isAbsolute(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

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
