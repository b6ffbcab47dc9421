import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { messageOf } from '#contract/errors.ts';
import { userCacheFolders } from '#platform/files/user-cache-folders.ts';
import { sha256 } from '#platform/sha256.ts';
import { isTable } from '../config/table-reader.ts';

export interface CacheOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Age in milliseconds up to which a cached registry is used without a request. */
  readonly maxAgeMs: number;
  readonly now: () => number;
}

interface Cached {
  readonly text: string;
  readonly savedAt: number;
}

/** A downloaded registry. */
interface FetchedRegistry {
  readonly text: string;
  /** A warning if the text is older than the maximum age, because the download failed. */
  readonly warning: string | undefined;
}

/** Returns the cached text of a URL, or downloads it. If the download fails, an older text is used, with a warning. */
export async function readCached(
  url: string,
  download: () => Promise<string>,
  { env, maxAgeMs, now }: CacheOptions,
): Promise<FetchedRegistry> {
  const folders = userCacheFolders(env).map((folder) => join(folder, 'registries'));
  const name = `${sha256(url).slice(0, 32)}.json`;
  const cached = folders
    .map((folder) => readEntry(join(folder, name), url))
    .find((entry) => entry !== undefined);
  const age = cached ? now() - cached.savedAt : Infinity;
  if (cached && age >= 0 && age < maxAgeMs) return { text: cached.text, warning: undefined };
  try {
    const text = await download();
    save(folders, name, { url, savedAt: now(), text });
    return { text, warning: undefined };
  } catch (error) {
    if (!cached) throw error;
    const minutes = Math.max(1, Math.round(age / 60_000));
    const shown = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
    return { text: cached.text, warning: `${messageOf(error)} Its copy of ${shown} ago is used.` };
  }
}

function readEntry(path: string, url: string): Cached | undefined {
  try {
    const entry = parseJsonText(readFileSync(path, 'utf8'));
    if (!isTable(entry) || entry['url'] !== url) return undefined;
    const { text, savedAt } = entry;
    return typeof text === 'string' && typeof savedAt === 'number' ? { text, savedAt } : undefined;
  } catch {
    // A missing or damaged copy is replaced.
    return undefined;
  }
}

/** Saves a copy in the first folder that is writable. Without one, there is no cache. */
function save(folders: readonly string[], name: string, entry: object): void {
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), JSON.stringify(entry), { mode: 0o600 });
      return;
    } catch {
      // The next folder is tried.
    }
  }
}
