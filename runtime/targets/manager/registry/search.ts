import type { RegistryEntry } from './entry.ts';

/** Server filters. All of them must match; case is ignored. */
export interface RegistryFilters {
  /** Substring of the ID, name, description or a tag. */
  readonly text?: string | undefined;
  readonly version?: string | undefined;
  readonly runtime?: string | undefined;
  readonly tools?: readonly string[];
  readonly license?: string | undefined;
  readonly source?: string | undefined;
  readonly tags?: readonly string[];
  readonly categories?: readonly string[];
  readonly officialOnly?: boolean;
}

export function searchRegistry(entries: readonly RegistryEntry[], filters: RegistryFilters): RegistryEntry[] {
  const { text, version, runtime, license, source, tools = [], tags = [], categories = [] } = filters;
  return entries.filter(
    (entry) =>
      contains([entry.id, entry.name, entry.description, ...entry.tags], text) &&
      waysToRun(entry).some(
        (way) =>
          (runtime === undefined || way.runtime === runtime) &&
          (version === undefined || way.version === version),
      ) &&
      tools.every((tool) => has(entry.tools, tool)) &&
      tags.every((tag) => has(entry.tags, tag)) &&
      categories.every((category) => has(entry.categories, category)) &&
      contains([entry.license], license) &&
      contains([entry.source], source) &&
      (!filters.officialOnly || entry.isOfficial),
  );
}

/** Returns a server's runtimes and versions; remote servers have no version. */
const waysToRun = (entry: RegistryEntry): { readonly runtime: string; readonly version?: string }[] => [
  ...entry.installations,
  ...entry.remotes.map(() => ({ runtime: REMOTE })),
];

/** The runtime name for remote servers. */
export const REMOTE = 'remote';

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const has = (texts: readonly string[], wanted: string): boolean => texts.some((text) => same(text, wanted));
const contains = (texts: readonly string[], part: string | undefined): boolean =>
  part === undefined || texts.some((text) => text.toLowerCase().includes(part.toLowerCase()));
