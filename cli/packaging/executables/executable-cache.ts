import { lstatSync, readdirSync, rmSync, type Stats, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EXECUTABLE_NAME } from '#contract/executable-name.ts';
import { configError, messageOf } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { errorCode } from '#core/values/error-code.ts';
import { tryLock } from '#platform/files/file-lock.ts';
import { isTrustedFolder } from '#platform/native/find-unpacked.ts';
import { readBuilt } from '../steps/build-inputs.ts';

/** An executable that `try` or `run` built into the cache. */
export interface CachedExecutable {
  /** The model's name, under which `run` finds the executable. */
  readonly name: string;
  /** The model on the hub, for example `org/name`; undefined for a local folder. */
  readonly repository: string | undefined;
  readonly bytes: number;
  /** Time of the last `try` or `run`, in milliseconds since 1970. */
  readonly lastUsed: number;
  readonly path: string;
}

/** Maximum total size of the executables in the cache. The least recently used ones are removed first. */
export const MAX_CACHED_BYTES = 20e9;

/** Age after which a folder without an executable is removed: what a killed build left behind. */
const MAX_UNFINISHED_MS = 24 * 3_600_000;

const folderOf = (cacheDir: string): string => join(cacheDir, 'executables');

/** Path of an executable in the cache. Each has its own folder, named by the key of its inputs. */
export const cachedPath = (cacheDir: string, key: string, fileName: string): string =>
  join(folderOf(cacheDir), key.slice(0, 16), fileName);

/**
 * Whether the file is a complete model executable that only this user (or root) controls. Other
 * files are not run, because users can share a cache folder; they are built again.
 */
export const isUsable = async (path: string): Promise<boolean> =>
  isTrusted(path) && (await readBuilt(path))?.manifest !== undefined;

function isTrusted(path: string): boolean {
  try {
    const user = process.getuid?.();
    // Windows has no owners and modes of this kind; the cache folder belongs to the user.
    if (user === undefined) return true;
    const { uid, mode } = lstatSync(path);
    return (uid === user || uid === 0) && (mode & WRITABLE_BY_OTHERS) === 0 && isTrustedFolder(dirname(path));
  } catch {
    return false;
  }
}

const WRITABLE_BY_OTHERS = 0o002;

/** Records the use of an executable as its modification time, by which the cache is cleaned. */
export function markUsed(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // A read-only cache can be used, but not cleaned.
  }
}

/** Lists the executables in the cache, the most recently used first. */
export async function listExecutables(cacheDir: string): Promise<CachedExecutable[]> {
  requireReadable(folderOf(cacheDir));
  const found: CachedExecutable[] = [];
  for (const { path, size, mtimeMs } of filesIn(cacheDir)) {
    const manifest = (await readBuilt(path))?.manifest;
    found.push({
      ...namesOf(manifest, path),
      bytes: size,
      lastUsed: mtimeMs,
      path,
    });
  }
  return found.toSorted((one, other) => other.lastUsed - one.lastUsed);
}

/** A cache that does not exist is empty, but one that cannot be read is an error. */
function requireReadable(folder: string): void {
  try {
    readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw configError(
      `Cannot read the cache ${folder}: ${messageOf(error)}. Pass another --cache-dir.`,
      error,
    );
  }
}

/** A damaged file is listed by its file name, so that it can be removed. */
const namesOf = (
  manifest: Manifest | undefined,
  path: string,
): Pick<CachedExecutable, 'name' | 'repository'> => ({
  name: manifest?.name ?? basename(path).replace(EXECUTABLE_NAME, ''),
  repository: manifest?.source?.repository,
});

/** Removes an executable with its folder. Running processes keep using it, except on Windows, where it stays. */
export function removeExecutable(path: string): void {
  rmSync(dirname(path), { recursive: true, force: true });
}

/**
 * Removes the least recently used executables until the rest fits into `maxBytes`. `kept` always
 * stays. Files that cannot be removed, for example because they run on Windows, stay, too.
 */
export function cleanExecutables(cacheDir: string, kept: string, maxBytes = MAX_CACHED_BYTES): void {
  const files = filesIn(cacheDir).toSorted((one, other) => other.mtimeMs - one.mtimeMs);
  let total = files.find(({ path }) => path === kept)?.size ?? 0;
  for (const { path, size } of files.filter((file) => file.path !== kept)) {
    total += size;
    if (total > maxBytes) tryRemove(dirname(path));
  }
  const used = new Set(files.map(({ path }) => dirname(path)));
  for (const folder of namesIn(folderOf(cacheDir)).map((name) => join(folderOf(cacheDir), name)))
    if (!used.has(folder)) removeUnfinished(folder);
}

/** Removes the folder of a killed build, unless a build is using it. */
function removeUnfinished(folder: string): void {
  const found = statOf(folder);
  if (!found?.isDirectory() || Date.now() - found.mtimeMs < MAX_UNFINISHED_MS) return;
  const lock = tryLock(folder);
  if (lock === undefined) return;
  tryRemove(folder);
  lock.release();
}

interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

function filesIn(cacheDir: string): FoundFile[] {
  const root = folderOf(cacheDir);
  return namesIn(root)
    .filter((name) => IS_KEY.test(name))
    .flatMap((folder) => namesIn(join(root, folder)).map((name) => join(root, folder, name)))
    .filter((path) => EXECUTABLE_NAME.test(path))
    .flatMap((path) => {
      const found = statOf(path);
      return found?.isFile() ? [{ path, size: found.size, mtimeMs: found.mtimeMs }] : [];
    });
}

const IS_KEY = /^[0-9a-f]{16}$/;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function tryRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The next cleaning tries again.
  }
}
