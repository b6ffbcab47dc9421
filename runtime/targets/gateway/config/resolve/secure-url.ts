import { isLoopbackHost } from '#serve/http/request-head.ts';
import type { Path, ResolveContext } from './context.ts';

/** Reads a URL that must use TLS, except on loopback, because codes, cookies or keys travel over it. */
export function secureUrl({ report }: ResolveContext, path: Path, text: string): URL | undefined {
  const url = URL.parse(text);
  const isSafe =
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname)));
  if (isSafe && url.username === '' && url.password === '' && url.search === '' && url.hash === '')
    return url;
  report(path, 'expected a URL that begins with https:// (or http:// for localhost), without a query');
  return undefined;
}
