import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { memberOf } from '#core/values/member-of.ts';
import { type RepositoryCache, replaceText } from './cache-layout.ts';
import { HASH, type HubFile } from './repository-files.ts';
import { isSafePath } from './safe-path.ts';

/**
 * Folder with the file list of each commit, which never changes. A snapshot only contains the
 * downloaded files, so without the list it is unknown whether the repository has other graphs or
 * settings files.
 */
const OWN_FOLDER = '.encoderfile';
/**
 * Folder with the file lists of huggingface_hub. This program reads but never writes them, because
 * huggingface_hub considers a snapshot complete if its list exists.
 */
const SHARED_FOLDER = 'trees';

export async function readListing(cache: RepositoryCache, commit: string): Promise<HubFile[] | undefined> {
  for (const folder of [OWN_FOLDER, SHARED_FOLDER]) {
    const files = parseListing(
      await readFile(join(cache.folder, folder, `${commit}.json`), 'utf8').catch(() => ''),
    );
    if (files !== undefined) return files;
  }
  return undefined;
}

/** Ignores errors, so that a read-only cache, for example in a container image, can be used. */
export async function writeListing(
  cache: RepositoryCache,
  commit: string,
  files: readonly HubFile[],
): Promise<void> {
  const members = files.map(({ path, bytes, hash }) => [path, { size: bytes, blob_id: hash }]);
  const text = JSON.stringify({ format_version: 1, files: Object.fromEntries(members) });
  await replaceText(join(cache.folder, OWN_FOLDER, `${commit}.json`), text).catch(() => undefined);
}

function parseListing(text: string): HubFile[] | undefined {
  try {
    const value = parseJsonText(text);
    const files = memberOf(value, 'files');
    if (memberOf(value, 'format_version') !== 1 || !isObject(files)) return undefined;
    return Object.entries(files).flatMap(([path, entry]) => entryOf(path, entry) ?? []);
  } catch {
    return undefined;
  }
}

function entryOf(path: string, entry: unknown): HubFile | undefined {
  const bytes = memberOf(entry, 'lfs_size') ?? memberOf(entry, 'size');
  const hash = memberOf(entry, 'lfs_sha256') ?? memberOf(entry, 'blob_id');
  if (!isSafePath(path) || !isCount(bytes) || typeof hash !== 'string' || !HASH.test(hash)) return undefined;
  return { path, bytes, hash };
}

/**
 * The files that a snapshot contains on disk, for commits without a file list. The hashes of these
 * files are unknown.
 */
export async function snapshotFiles(cache: RepositoryCache, commit: string): Promise<HubFile[]> {
  const root = cache.snapshot(commit);
  const names = await readdir(root, { recursive: true }).catch((): string[] => []);
  const files: HubFile[] = [];
  for (const name of names) {
    const found = await stat(join(root, name)).catch(() => undefined);
    if (found?.isFile()) files.push({ path: name.replaceAll('\\', '/'), bytes: found.size, hash: '' });
  }
  return files;
}
