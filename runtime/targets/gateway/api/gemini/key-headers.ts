import type { HeaderReader } from '../../accounts/identity/identity.ts';

/** The headers of a request whose key can also be in its query, as Google's documentation has it: `?key=`. */
export function withQueryKey(headers: HeaderReader, url: string): HeaderReader {
  const key = new URL(url).searchParams.get('key');
  if (!key) return headers;
  return {
    get: (name) => (name.toLowerCase() === 'x-goog-api-key' ? headers.get(name) || key : headers.get(name)),
  };
}
