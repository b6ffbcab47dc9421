import { lookup } from '#core/values/lookup.ts';
import { configError, messageOf, AppError } from '#contract/errors.ts';
import { readText } from '#platform/read-text.ts';
import type { TextFile } from '../config/parse-toml.ts';
import { builtinRegistry } from './builtin.ts';
import type { RegistryEntry } from './entry.ts';
import { type SkippedServer, readEntries, type RegistryContents } from './formats/format.ts';
import { explainJson } from '#core/json/explain-json.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { catalogFormat } from './formats/catalog.ts';
import { dockerFormat } from './formats/docker.ts';
import { officialFormat } from './formats/official.ts';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { userCacheFolders } from '#platform/files/home-folder.ts';
import { sha256 } from '#platform/sha256.ts';
import { isTable } from '../config/table-reader.ts';
import { createJsonClient } from '#serve/client/json-client.ts';
import { pushAll } from '#core/values/push-all.ts';

export interface RegistryOptions extends CacheOptions {
  /** The search text. A registry API can use it to return fewer servers. */
  readonly text?: string | undefined;
}

/** The servers of all registries. */
export interface OpenedRegistry {
  /** Sorted by ID. If an ID is listed repeatedly, the first entry takes precedence. */
  readonly entries: readonly RegistryEntry[];
  readonly skipped: readonly SkippedServer[];
  /** Warnings about outdated cached registries. */
  readonly warnings: readonly string[];
}

/** Returns the servers of the registries and the built-in ones. */
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
  // An API's combined pages are always a list, possibly empty.
  if (file.text === '{"servers":[]}') return { entries: [], skipped: [], warnings };
  const { entries, skipped } = await readRegistry(file);
  return { entries, skipped, warnings };
}

async function readFile(path: string): Promise<TextFile> {
  const file = await readText(path);
  if (file) return file;
  throw configError(`The registry ${path} does not exist. Choose another with --registry.`);
}

/** Registry formats; the first one that matches a document is used. */
const FORMATS = [officialFormat, dockerFormat, catalogFormat];

/** Parses a registry in any supported format, as JSON or YAML. Servers with problems are skipped. */
async function readRegistry(file: TextFile): Promise<RegistryContents> {
  const document = await parse(file);
  for (const format of FORMATS) {
    const servers = format.servers(document);
    if (servers) return readEntries(format, servers, file.path);
  }
  throw configError(
    `${file.path}: the registry must contain servers, in a list or in an object by ID. Choose another with --registry.`,
  );
}

async function parse({ path, text }: TextFile): Promise<unknown> {
  try {
    return parseJsonText(text);
  } catch (error) {
    // Docker catalogs are YAML; a file that starts with a brace is meant to be JSON.
    if (/^\s*[[{]/.test(text)) {
      throw configError(`${path} is not a registry: invalid JSON: ${explainJson(text, error)}`, error);
    }
  }
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem)
    throw configError(`${path} is not a registry: invalid YAML: ${problem.message.split('\n', 1).join('')}`);
  return document.toJS({ maxAliasCount: 100 });
}

interface CacheOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Maximum age in milliseconds at which a cached registry is used without a request. */
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
  /** A warning if the text exceeds the maximum age because the download failed. */
  readonly warning: string | undefined;
}

/** Returns the cached text of a URL, or downloads it. If the download fails, an older text is used, with a warning. */
async function readCached(
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
    return { text: cached.text, warning: `${messageOf(error)} The cached copy from ${shown} ago is used.` };
  }
}

function readEntry(path: string, url: string): Cached | undefined {
  try {
    const entry = parseJsonText(readFileSync(path, 'utf8'));
    if (!isTable(entry) || entry['url'] !== url) return undefined;
    const { text, savedAt } = entry;
    return typeof text === 'string' && typeof savedAt === 'number' ? { text, savedAt } : undefined;
  } catch {
    // A missing or damaged cache file is replaced.
    return undefined;
  }
}

/** Caches a registry in the first writable folder. If there is none, nothing is cached. */
function save(folders: readonly string[], name: string, entry: object): void {
  for (const folder of folders) {
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), JSON.stringify(entry), { mode: 0o600 });
      return;
    } catch {
      // Tries the next folder.
    }
  }
}

/** Maximum size of a response, and of all pages in total. */
const MAX_CHARACTERS = 64 * 1_048_576;
const TIMEOUT_MS = 30_000;
const PAGE_SIZE = '100';
/** Maximum number of pages, in case a registry's cursors never end. */
const MAX_PAGES = 1000;

type WebSource = Exclude<RegistrySource, { readonly kind: 'file' }>;

/** Returns the URL for the servers in a registry that match a text. The registry defines how it matches. */
function queryUrl({ kind, url }: WebSource, text: string | undefined): string {
  if (kind === 'document') return url;
  const query = new URL(url);
  query.searchParams.set('limit', PAGE_SIZE);
  query.searchParams.set('version', 'latest');
  if (text !== undefined) query.searchParams.set('search', text);
  return query.href;
}

/** Downloads a registry. An API's pages are combined into one list. */
async function download({ kind }: WebSource, url: string): Promise<string> {
  if (kind === 'document') return await get(url);
  const servers: unknown[] = [];
  let [cursor, size]: [string | undefined, number] = [undefined, 0];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const pageUrl = new URL(url);
    if (cursor !== undefined) pageUrl.searchParams.set('cursor', cursor);
    const text = await get(pageUrl.href);
    size += text.length;
    if (size > MAX_CHARACTERS)
      throw configError(`${url} is larger than 64 MiB. Narrow the results with a search text.`);
    const { items, next } = readPage(url, text);
    pushAll(servers, items);
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  return JSON.stringify({ servers });
}

function readPage(
  url: string,
  text: string,
): { readonly items: readonly unknown[]; readonly next: string | undefined } {
  let body: unknown;
  try {
    body = parseJsonText(text);
  } catch (error) {
    throw configError(`${url} returned invalid JSON. Check the registry URL.`, error);
  }
  const servers = isTable(body) ? body['servers'] : undefined;
  // Go encodes an empty list as null.
  if (servers !== null && !Array.isArray(servers))
    throw configError(`${url} did not return a list of servers. Check the registry URL.`);
  const metadata = isTable(body) && isTable(body['metadata']) ? body['metadata'] : {};
  const next = metadata['nextCursor'] ?? metadata['next_cursor'];
  return { items: servers ?? [], next: typeof next === 'string' && next !== '' ? next : undefined };
}

async function get(address: string): Promise<string> {
  const { origin, pathname, search } = new URL(address);
  const client = createJsonClient(origin, {
    headers: { accept: 'application/json, application/yaml, */*', 'user-agent': 'mcp-manager' },
    answerMs: TIMEOUT_MS,
    maxResponseBytes: MAX_CHARACTERS,
    maxRedirects: 3,
  });
  try {
    const { status, text } = await client.ask({ method: 'GET', path: pathname + search });
    if (status === 200) return text;
    throw configError(`The registry ${address} returned status ${status}.`);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw configError(`The registry ${address} is not reachable: ${messageOf(error)}.`, error);
  } finally {
    await client.close();
  }
}

/** Location of a registry: a file, a document on the web, or a paginated API. */
type RegistrySource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'document'; readonly url: string }
  | { readonly kind: 'api'; readonly url: string };

/** Names of public registries. */
const KNOWN_REGISTRIES = lookup<string>({
  official: 'https://registry.modelcontextprotocol.io/v0/servers',
  docker: 'https://desktop.docker.com/mcp/catalog/v3/catalog.yaml',
  mcpm: 'https://mcpm.sh/api/servers.json',
});

/** Parses the value of `--registry`: a known name, a URL, or a file. A URL without a path refers to an API. */
function registrySource(text: string): RegistrySource {
  const written = KNOWN_REGISTRIES[text] ?? text;
  if (!/^https?:\/\//i.test(written)) return { kind: 'file', path: resolve(written) };
  const url = new URL(written);
  if (url.pathname === '/') url.pathname = '/v0/servers';
  url.pathname = url.pathname.replace(/\/(v\d+(?:\.\d+)?)\/?$/, '/$1/servers');
  const isApi = /\/v\d+(?:\.\d+)?\/servers$/.test(url.pathname);
  return { kind: isApi ? 'api' : 'document', url: url.href };
}
