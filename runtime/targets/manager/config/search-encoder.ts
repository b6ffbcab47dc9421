import { resolve } from 'node:path';

/** The encoder of searches: an executable that the manager starts, or a running one. */
export type SearchEncoderSetting =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

/** Variable with the API key of a running encoder. It is not a flag, because flags are visible in the process list. */
export const SEARCH_ENCODER_KEY = 'MCP_MANAGER_SEARCH_ENCODER_KEY';

/** What a value of the setting must be, as the predicate of a sentence. */
export const SEARCH_ENCODER_RULE =
  'must be the path of an .encoder file, or an http:// or https:// URL without a user, a query or a fragment';

/** Parses the setting. A relative path is relative to `folder`. */
export function parseSearchEncoder(value: string, folder = '.'): SearchEncoderSetting | undefined {
  if (value.trim() === '') return undefined;
  if (!/^[a-z][\w+.-]*:\/\//i.test(value)) return { kind: 'file', path: resolve(folder, value) };
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain ? { kind: 'url', url: value } : undefined;
}
