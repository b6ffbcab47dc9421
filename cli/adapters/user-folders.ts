import { configError } from '#contract/errors.ts';
import { userCacheFolders } from '#platform/files/home-folder.ts';

/** The user's cache folder on this system; undefined if the user has none. */
export const userCacheDir = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  userCacheFolders(env)[0];

/** The default folder for base runtimes, in the user's cache folder. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const folder = userCacheDir(env);
  if (folder !== undefined) return folder;
  throw configError(
    'Cannot locate cache directory: neither HOME nor XDG_CACHE_HOME is set. Set `cache_dir`, or pass --cache-dir.',
  );
}
