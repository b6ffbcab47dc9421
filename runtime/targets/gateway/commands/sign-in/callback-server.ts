import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/** A server on loopback to which the browser comes back after a sign-in. */
export interface CallbackServer {
  readonly port: number;
  /** The code of the sign-in. Rejects if the browser does not come back in time. */
  readonly code: Promise<string>;
  readonly close: () => void;
}

const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  // The code is in the address of this page.
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

/** Listens on a free port. Requests with another state are ignored: any page can send them. */
export async function listenForCode(state: string, timeoutMs: number): Promise<CallbackServer> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const code = url.searchParams.get('code');
    const isOwn = url.pathname === '/callback' && url.searchParams.get('state') === state && code !== null;
    response.writeHead(isOwn ? 200 : 404, HEADERS);
    response.end(isOwn ? 'You are signed in. You can close this page.\n' : 'Not found.\n');
    if (isOwn) resolve(code);
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
