import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { configError, messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { isLoopbackHost } from '#serve/http/host-rules.ts';
import { formatAddress } from '#serve/hostname.ts';

/** The server to which the browser returns after a sign-in. It listens on loopback only. */
export interface CallbackServer {
  readonly redirectUri: string;
  close(): Promise<void>;
}

export interface CallbackOptions {
  /** The URL to listen at; without it, a free port. */
  readonly fixed: string | undefined;
  /** A URL that an earlier sign-in used, which the client is registered with. It is used again if its port is free. */
  readonly earlier: string | undefined;
  /** Receives the parameters of a redirect. Resolves or rejects with the text for the person. */
  readonly onRedirect: (parameters: URLSearchParams) => Promise<string>;
}

const ANY_PORT = 'http://127.0.0.1:0/callback';

export async function listenForCallback({
  fixed,
  earlier,
  onRedirect,
}: CallbackOptions): Promise<CallbackServer> {
  if (fixed !== undefined) return await listenAt(new URL(fixed), onRedirect);
  const again =
    earlier === undefined ? undefined : await listenAt(new URL(earlier), onRedirect).catch(() => undefined);
  return again ?? (await listenAt(new URL(ANY_PORT), onRedirect));
}

async function listenAt(url: URL, onRedirect: CallbackOptions['onRedirect']): Promise<CallbackServer> {
  const server = createServer(
    (request, response) => void answer(request, response, url.pathname, onRedirect),
  );
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    server.listen(Number(url.port), host);
    await once(server, 'listening');
  } catch (error) {
    const reason = errorCode(error) === 'EADDRINUSE' ? 'the port is in use' : messageOf(error);
    throw configError(`Cannot listen at ${url.href} for the sign-in: ${reason}.`, error);
  }
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://${formatAddress(host, port)}${url.pathname}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    },
  };
}

async function answer(
  { url = '', method, headers }: IncomingMessage,
  response: ServerResponse,
  path: string,
  onRedirect: CallbackOptions['onRedirect'],
): Promise<void> {
  const target = URL.parse(url, 'http://localhost');
  const host = URL.parse(`http://${headers.host ?? ''}`)?.hostname ?? '';
  // The connection is closed, so that the server can close.
  const send = (status: number, text: string): void =>
    void response.writeHead(status, HEADERS).end(`${text}\n`);
  if (method !== 'GET' || target?.pathname !== path || !isLoopbackHost(host)) {
    send(404, 'Not found.');
    return;
  }
  try {
    send(200, await onRedirect(target.searchParams));
  } catch (error) {
    send(400, messageOf(error));
  }
}

/** The code is in the address of the page, so it is neither cached nor sent on. */
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};
