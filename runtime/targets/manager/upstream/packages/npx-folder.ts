import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';

/** State of the folder that npx installs a package into. */
export type NpxState = 'absent' | 'complete' | 'incomplete' | 'locked';

/** npm renews its lock every second, so an older lock was left behind by a killed npm. */
const LOCK_STALE_MS = 3000;
/** npm rounds its lock's time to the nearest second, so it can be up to half a second in the future. */
const LOCK_AHEAD_MS = 500;
/** After this time, a killed npm's lock is certainly stale. */
export const LOCK_AGES_MS = LOCK_STALE_MS + LOCK_AHEAD_MS + 100;

/** Returns the npx folder for packages: npm derives its name from the packages' names. */
export function npxFolder(packages: readonly string[], cache: string): string {
  const names = [...packages].sort((a, b) => a.localeCompare(b, 'en'));
  const hash = createHash('sha512').update(names.join('\n')).digest('hex').slice(0, 16);
  return resolve(cache, '_npx', hash);
}

/** npm's cache for an environment, as far as it can be determined without starting npm. */
export function npmCache(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const set = Object.entries(env).find(([name]) => name.toLowerCase() === 'npm_config_cache')?.[1];
  if (set) return set;
  if (process.platform === 'win32') return env['LOCALAPPDATA'] && join(env['LOCALAPPDATA'], 'npm-cache');
  return env['HOME'] && join(env['HOME'], '.npm');
}

/**
 * Determines whether an installation is complete. npm writes `package.json` and the hidden lock file at the
 * end, so an interrupted installation lacks them, or has packages that are listed but missing.
 */
export async function npxState(folder: string, now: number): Promise<NpxState> {
  if (!(await exists(folder))) return 'absent';
  const lock = await stat(join(folder, 'concurrency.lock')).catch(() => undefined);
  if (lock && now - lock.mtimeMs < LOCK_STALE_MS) return 'locked';
  const [manifest, installed] = await Promise.all([
    readJson(join(folder, 'package.json')),
    readJson(join(folder, 'node_modules', '.package-lock.json')),
  ]);
  const packages = memberOf(installed, 'packages');
  if (typeof packages !== 'object' || packages === null || manifest === undefined) return 'incomplete';
  const required = Object.entries(packages).filter(([, item]) => memberOf(item, 'optional') !== true);
  const present = await Promise.all(
    required.map(async ([path]) => await exists(join(folder, path, 'package.json'))),
  );
  return present.every(Boolean) ? 'complete' : 'incomplete';
}

/** Removes an installation. It is renamed first, so that npm never sees a partial one. */
export async function removeNpxFolder(folder: string): Promise<void> {
  const aside = `${folder}.removed-${randomUUID().slice(0, 8)}`;
  try {
    await rename(folder, aside);
  } catch {
    return;
  }
  await rm(aside, { recursive: true, force: true, maxRetries: 3 });
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function readJson(path: string): Promise<unknown> {
  try {
    return parseJsonText(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}
