import { isLoopbackHost } from '#serve/http/request-head.ts';

/** Whether a text is a loopback `http://` URL with a port, to which a browser can return after a sign-in. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && url.port !== '' && isLoopbackHost(url.hostname) && url.search === '';
}
