import { configError } from '#contract/errors.ts';
import { readText } from '#platform/read-text.ts';
import type { TextFile } from '../config/parse-toml.ts';
import { builtinRegistry } from './builtin.ts';
import { download, queryUrl } from './download.ts';
import type { RegistryEntry } from './entry.ts';
import type { SkippedServer } from './formats/format.ts';
import { readRegistry } from './read-registry.ts';
import { type CacheOptions, readCached } from './registry-cache.ts';
import { registrySource } from './registry-source.ts';

export interface RegistryOptions extends CacheOptions {
  /** The text to search for, which the API of a registry uses to return fewer servers. */
  readonly text?: string | undefined;
}

/** The servers of all registries. */
export interface OpenedRegistry {
  /** Sorted by ID. If an ID is listed repeatedly, the first one wins. */
  readonly entries: readonly RegistryEntry[];
  readonly skipped: readonly SkippedServer[];
  /** Sentences about copies of registries that are old. */
  readonly warnings: readonly string[];
}

/** Returns the servers of the registries, and the built-in ones. */
export async function openRegistry(
  registries: readonly string[],
  options: RegistryOptions,
): Promise<OpenedRegistry> {
  const read = await Promise.all(registries.map((one) => open(one, options)));
  const byId = new Map<string, RegistryEntry>();
  for (const entry of [...read.flatMap(({ entries }) => entries), ...builtinRegistry()]) {
    if (!byId.has(entry.id)) byId.set(entry.id, entry);
  }
  return {
    entries: [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    skipped: read.flatMap(({ skipped }) => skipped),
    warnings: read.flatMap(({ warnings }) => warnings),
  };
}

async function open(written: string, options: RegistryOptions): Promise<OpenedRegistry> {
  const source = registrySource(written);
  if (source.kind === 'file') return await contentsOf(await readFile(source.path), []);
  const url = queryUrl(source, options.text);
  const { text, warning } = await readCached(url, () => download(source, url), options);
  return await contentsOf({ path: source.url, text }, warning === undefined ? [] : [warning]);
}

async function contentsOf(file: TextFile, warnings: readonly string[]): Promise<OpenedRegistry> {
  // The pages of an API are always a list, which can be empty.
  if (file.text === '{"servers":[]}') return { entries: [], skipped: [], warnings };
  const { entries, skipped } = await readRegistry(file);
  return { entries, skipped, warnings };
}

async function readFile(path: string): Promise<TextFile> {
  const file = await readText(path);
  if (file) return file;
  throw configError(`The registry ${path} does not exist. Choose another with --registry.`);
}
