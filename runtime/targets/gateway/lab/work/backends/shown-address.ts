/** An address as sentences may show it: without what some put before the host or behind the path. */
export function shownAddress(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url && url.host !== ''
    ? `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`
    : 'a bad URL';
}
