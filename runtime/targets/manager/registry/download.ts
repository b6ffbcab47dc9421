import { AppError, configError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { createJsonClient } from '#serve/client/json-client.ts';
import { isTable } from '../config/table-reader.ts';
import type { RegistrySource } from './registry-source.ts';
import { pushAll } from '#core/values/push-all.ts';

/** Maximum size of a response, and of all pages together. */
const MAX_CHARACTERS = 64 * 1_048_576;
const TIMEOUT_MS = 30_000;
const PAGE_SIZE = '100';
/** Maximum number of pages, for a registry whose cursors never end. */
const MAX_PAGES = 1000;

type WebSource = Exclude<RegistrySource, { readonly kind: 'file' }>;

/** Returns the URL of a registry's servers that match a text, as the registry compares it. */
export function queryUrl({ kind, url }: WebSource, text: string | undefined): string {
  if (kind === 'document') return url;
  const query = new URL(url);
  query.searchParams.set('limit', PAGE_SIZE);
  query.searchParams.set('version', 'latest');
  if (text !== undefined) query.searchParams.set('search', text);
  return query.href;
}

/** Downloads a registry. The pages of an API become one list. */
export async function download({ kind }: WebSource, url: string): Promise<string> {
  if (kind === 'document') return await get(url);
  const servers: unknown[] = [];
  let [cursor, size]: [string | undefined, number] = [undefined, 0];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const pageUrl = new URL(url);
    if (cursor !== undefined) pageUrl.searchParams.set('cursor', cursor);
    const text = await get(pageUrl.href);
    size += text.length;
    if (size > MAX_CHARACTERS) throw configError(`${url} is larger than 64 MiB. Search for a text instead.`);
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
    throw configError(`${url} returned no JSON. Check the address of the registry.`, error);
  }
  const servers = isTable(body) ? body['servers'] : undefined;
  // Go writes an empty list as null.
  if (servers !== null && !Array.isArray(servers))
    throw configError(`${url} returned no list of servers. Check the address of the registry.`);
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
