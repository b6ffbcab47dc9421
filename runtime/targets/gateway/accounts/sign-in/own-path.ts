/** Where a sign-in ends if it specifies no page of the gateway. */
const DEFAULT_PATH = '/docs';

/**
 * Returns one of the gateway's own paths for a redirect, so that a sign-in cannot lead to another site.
 * Browsers treat a path that starts with two slashes as a host, and remove dot segments before such a path.
 */
export function ownPath(returnTo: string, publicUrl: string): string {
  const url = returnTo.startsWith('/') ? URL.parse(returnTo, publicUrl) : null;
  if (!url || url.origin !== publicUrl) return DEFAULT_PATH;
  const path = `${url.pathname}${url.search}`;
  return URL.parse(path, publicUrl)?.href === `${publicUrl}${path}` ? path : DEFAULT_PATH;
}
