import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A loopback server that the browser returns to after a sign-in. */
export interface CallbackServer {
  readonly port: number;
  /** The authorization code. Rejects if the browser does not return in time. */
  readonly code: Promise<string>;
  readonly close: () => void;
}

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  // This page's URL contains the code.
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

const SIGNED_IN_PAGE = 'You are signed in. You can close this page.\n';
const REFUSED_PAGE = 'Sign-in was denied. You can close this page.\n';

/** Listens on a free port. Requests with another state are ignored: any page can send them. */
export async function listenForCode(state: string, timeoutMs: number): Promise<CallbackServer> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const code = url.searchParams.get('code');
    const isOwn = url.pathname === '/callback' && url.searchParams.get('state') === state;
    const isRefused = isOwn && url.searchParams.has('error');
    const isKnown = isRefused || (isOwn && code !== null);
    response.writeHead(isKnown ? 200 : 404, HEADERS);
    response.end(isRefused ? REFUSED_PAGE : isKnown ? SIGNED_IN_PAGE : 'Not found.\n');
    if (isRefused) reject(new Error('The sign-in was rejected in the browser.'));
    else if (isOwn && code !== null) resolve(code);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timer = setTimeout(() => {
    reject(new Error('The sign-in was not completed in time. Run `gateway login` again.'));
  }, timeoutMs);
  return {
    port: (server.address() as AddressInfo).port,
    code: promise,
    close() {
      clearTimeout(timer);
      server.close();
      server.closeIdleConnections();
    },
  };
}
