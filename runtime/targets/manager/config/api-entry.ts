import type { TableReader } from './table-reader.ts';

/** `[servers.api]`: how an OpenAPI document becomes tools. Placeholders are not expanded yet. */
export interface ApiEntry {
  readonly baseUrl: string | undefined;
  readonly origins: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly fixed: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
  readonly pathSlashes: readonly string[];
  readonly refreshMs: number | undefined;
}

export const API_KEYS = [
  'base_url',
  'origins',
  'variables',
  'include',
  'exclude',
  'fixed',
  'credentials',
  'path_slashes',
  'refresh',
] as const;

export function readApi(table: TableReader | undefined): ApiEntry {
  const origins = table?.texts('origins') ?? [];
  for (const origin of origins.filter((text) => URL.parse(text)?.origin !== text)) {
    table?.report(
      `origins cannot contain ${JSON.stringify(origin)}. Use a scheme and a host, e.g. "https://uploads.example.com".`,
      'origins',
    );
  }
  return {
    baseUrl: table?.text('base_url'),
    origins,
    variables: table?.record('variables') ?? {},
    include: table?.texts('include') ?? ['*'],
    exclude: table?.texts('exclude') ?? [],
    fixed: table?.record('fixed') ?? {},
    credentials: table?.record('credentials') ?? {},
    pathSlashes: table?.texts('path_slashes') ?? [],
    refreshMs: table?.milliseconds('refresh'),
  };
}
