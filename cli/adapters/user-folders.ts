import { configError } from '../../runtime/contract/errors.ts';
import { userCacheFolders } from '../../runtime/platform/files/user-cache-folders.ts';

/** The default folder for base runtimes: the system's cache folder for this user. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const [folder] = userCacheFolders(env);
  if (folder !== undefined) return folder;
  throw configError(
    'Cannot locate cache directory: neither HOME nor XDG_CACHE_HOME is set. Set `cache_dir`, or pass --cache-dir.',
  );
}
