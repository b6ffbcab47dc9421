import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ApiEntry } from './api-entry.ts';
import { mergeRecords, type ServerSources } from './server-sources.ts';
import type { ServerResolveContext } from './resolve-context.ts';
import type { ApiSettings } from './spec.ts';

/** How often a document on the network is requested, unless the configuration sets it. */
const REFRESH_MS = 15 * 60_000;

export const isDocumentUrl = (document: string): boolean => /^https?:\/\//i.test(document);

/** Returns the path of a document that is written as a `file:` URL; undefined if such a URL has no path on this machine. */
export function documentPath(document: string): string | undefined {
  if (!/^file:/i.test(document)) return document;
  try {
    const path = fileURLToPath(document);
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

/** What a `file:` URL of a document must be, as a sentence. */
export const FILE_URL_RULE =
  'A file: URL must have three slashes and an absolute path, e.g. file:///apis/pets.yaml. Correct it, or use the path';

/** Resolves the document of an API and `[servers.api]`. Relative paths start at the folder of the servers file. */
export function resolveApi(
  document: string,
  api: ApiEntry,
  sources: ServerSources,
  context: ServerResolveContext,
): ApiSettings {
  const { entry, expandEntry } = sources;
  const complain = (key: string, message: string): void =>
    context.report(
      [...entry.path, 'api', key],
      `server ${JSON.stringify(entry.name)}: api.${key} ${message}`,
    );
  const text = expandEntry.text('openapi', document);
  const baseUrl = api.baseUrl === undefined ? undefined : expandEntry.text('base_url', api.baseUrl);
  const base = baseUrl === undefined ? undefined : URL.parse(baseUrl);
  if (baseUrl !== undefined && baseUrl !== '') {
    const isWeb = base?.protocol === 'http:' || base?.protocol === 'https:';
    if (!isWeb || base.search !== '' || base.hash !== '' || base.username !== '')
      complain(
        'base_url',
        'must be a URL that starts with http:// or https://, without credentials and a query.',
      );
  }
  const fixed = expandEntry.record('fixed', api.fixed);
  for (const [name, value] of Object.entries(fixed)) {
    if (context.containsSecrets) context.redactions.add(value, [name], entry.name);
  }
  const credentials = mergeRecords('credentials', api.credentials, sources, context);
  // Credentials are secrets wherever they are written.
  for (const [name, value] of Object.entries(credentials)) context.redactions.add(value, [name], entry.name);
  const path = documentPath(text);
  if (path === undefined)
    context.report(
      [...entry.path, 'openapi'],
      `server ${JSON.stringify(entry.name)}: openapi: ${JSON.stringify(text)} is not a file on this machine. ${FILE_URL_RULE}.`,
    );
  return {
    document:
      isDocumentUrl(text) || isAbsolute(path ?? '') ? (path ?? '') : resolve(context.folder, path ?? ''),
    baseUrl,
    origins: api.origins,
    variables: expandEntry.record('variables', api.variables),
    include: api.include,
    exclude: api.exclude,
    fixed,
    credentials,
    pathSlashes: api.pathSlashes,
    refreshMs: api.refreshMs ?? REFRESH_MS,
  };
}

/** The URL that identifies an API: its base URL or, without one, the document. */
export const apiUrl = ({ baseUrl, document }: ApiSettings): string =>
  baseUrl ?? (isDocumentUrl(document) ? document : pathToFileURL(document).href);
