import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userCacheFolders } from '#platform/files/user-cache-folders.ts';
import type { PackageInstallation, ProcessLaunch } from '../../config/spec.ts';

/**
 * Remembers which packages are installed, also across starts of the manager, because asking uv costs half a second of processor time
 * for each server. A mark holds the identity of uv's cache, so it is void once the cache was removed.
 */
export interface InstalledMarks {
  has(key: string, installation: PackageInstallation, launch: ProcessLaunch): boolean;
  set(key: string, launch: ProcessLaunch): void;
  delete(key: string): void;
}

export function createInstalledMarks(env: Readonly<Record<string, string | undefined>>): InstalledMarks {
  const [cache] = userCacheFolders(env);
  const folder = cache === undefined ? undefined : join(cache, 'mcp-manager-installed');
  /** Packages that this process installed or found. */
  const known = new Set<string>();
  const fileOf = (key: string): string | undefined =>
    folder && join(folder, createHash('sha256').update(key).digest('hex').slice(0, 32));

  return {
    has(key, { isExact, uvx = false }, launch) {
      if (!isExact) return false;
      if (known.has(key)) return true;
      const file = fileOf(key);
      const identity = uvx ? cacheIdentity(launch) : undefined;
      if (file === undefined || identity === undefined) return false;
      return readMark(file) === identity;
    },
    set(key, launch) {
      if (launch.installation?.npx) return;
      known.add(key);
      const file = fileOf(key);
      const identity = launch.installation?.uvx ? cacheIdentity(launch) : undefined;
      if (folder === undefined || file === undefined || identity === undefined) return;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(file, identity, { mode: 0o600 });
      } catch {
        // Without a writable cache, the next start of the manager asks uv again.
      }
    },
    delete(key) {
      known.delete(key);
      const file = fileOf(key);
      try {
        if (file !== undefined) rmSync(file, { force: true });
      } catch {
        // A mark that cannot be removed costs one slow start at most.
      }
    },
  };
}

function readMark(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Identifies the cache folder of uv: its path and inode, which changes when the folder is created again. */
function cacheIdentity({ env }: ProcessLaunch): string | undefined {
  const path = uvCache(env);
  if (!path) return undefined;
  try {
    const { dev, ino } = statSync(path);
    return `${path} ${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

function uvCache(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env['UV_CACHE_DIR']) return env['UV_CACHE_DIR'];
  if (process.platform === 'win32') return env['LOCALAPPDATA'] && join(env['LOCALAPPDATA'], 'uv', 'cache');
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'uv');
  return env['HOME'] && join(env['HOME'], '.cache', 'uv');
}
