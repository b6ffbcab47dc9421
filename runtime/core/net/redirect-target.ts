const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The URL that a response redirects to, which the caller checks as it checked the first one. `none`: the response is not a
 * redirect. `invalid`: its URL is invalid. `without TLS`: a URL with TLS redirects to one without, which is never followed.
 */
export function redirectTarget(
  url: URL,
  status: number,
  location: string | readonly string[] | undefined,
): URL | 'none' | 'invalid' | 'without TLS' {
  if (!REDIRECTS.has(status) || typeof location !== 'string') return 'none';
  const target = URL.parse(location, url);
  if (!target) return 'invalid';
  return url.protocol === 'https:' && target.protocol !== 'https:' ? 'without TLS' : target;
}
