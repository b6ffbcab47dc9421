import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * Returns the home folder from HOME, or from the system's user list; undefined if there is none. Node throws for a user id that
 * is not in the list and has no HOME, as in a container started with `--user 12345`.
 */
export const homeFolder = (): string | undefined => folderOf(homedir);

/** Same, but an empty HOME counts as unset. */
export const homeOrAccountFolder = (): string | undefined =>
  homeFolder() ?? folderOf(() => userInfo().homedir);

function folderOf(find: () => string): string | undefined {
  try {
    const folder = find();
    return isAbsolute(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}
