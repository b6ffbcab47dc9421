import { createInterface } from 'node:readline';
import { messageOf, configError } from '#contract/errors.ts';
import { waitFor } from '#platform/wait-for.ts';
import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import { UNKNOWN_STATE } from './authorization-response.ts';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { errorCode } from '#core/values/error-code.ts';
import { isLoopbackHost } from '#serve/http/request-head.ts';
import { formatAddress } from '#serve/bind.ts';

/** How a command interacts with the user who signs in. */
export interface PersonOptions {
  /** Shows the URL to the user, and opens it if a browser is available. */
  readonly show: (authorizationUrl: URL) => void;
  /** Lines pasted by the user: URLs to which a browser on another machine returned. */
  readonly pasted?: NodeJS.ReadableStream | undefined;
  /** Receives a problem with a pasted line, which the user can correct. */
  readonly onProblem: (message: string) => void;
  readonly timeoutMs: number;
}

/** A sign-in that is waiting for the browser. */
interface WaitingSignIn<Result> {
  readonly authorizationUrl: URL;
  finish(parameters: URLSearchParams): Promise<Result>;
}

export interface RedirectOptions<Result> {
  /** The server that the user signs in to. */
  readonly server: string;
  /** The configured redirect URI. */
  readonly fixed: string | undefined;
  /** The redirect URI of an earlier sign-in. */
  readonly earlier?: string | undefined;
  readonly start: (redirectUri: string) => Promise<WaitingSignIn<Result>>;
}

/** Starts a sign-in; resolves with its result when the browser has returned to this machine. */
export async function awaitRedirect<Result>(
  { server, fixed, earlier, start }: RedirectOptions<Result>,
  { show, pasted, onProblem, timeoutMs }: PersonOptions,
): Promise<Result> {
  const done = Promise.withResolvers<Result>();
  done.promise.catch(() => undefined);
  let started: WaitingSignIn<Result> | undefined;
  let isUsed = false;
  const onRedirect = async (parameters: URLSearchParams): Promise<string> => {
    if (!started || isUsed) throw new OAuthFailure('No sign-in is pending.');
    const finishing = started.finish(parameters);
    try {
      done.resolve(await finishing);
      isUsed = true;
      return `Signed in to ${server}. You can close this page.`;
    } catch (error) {
      // Other pages can request this URL, too; that must not end the sign-in.
      if (!(error instanceof OAuthFailure && error.code === UNKNOWN_STATE)) done.reject(error);
      throw error;
    }
  };
  const callback = await listenForCallback({ fixed, earlier, onRedirect });
  const stopReading = readPasted(pasted, onProblem, onRedirect);
  try {
    started = await start(callback.redirectUri);
    show(started.authorizationUrl);
    const late = (): OAuthFailure => new OAuthFailure('the sign-in was not completed in time');
    return await waitFor(done.promise, { timeoutMs, late });
  } finally {
    stopReading();
    await callback.close();
  }
}

function readPasted(
  pasted: NodeJS.ReadableStream | undefined,
  onProblem: (message: string) => void,
  onRedirect: (parameters: URLSearchParams) => Promise<string>,
): () => void {
  if (!pasted) return () => undefined;
  const lines = createInterface({ input: pasted });
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    const url = URL.parse(line.trim());
    if (!url)
      onProblem('The input must be a URL. Paste the complete URL to which the browser was redirected.');
    else void onRedirect(url.searchParams).catch((error: unknown) => onProblem(messageOf(error)));
  });
  return () => lines.close();
}

/** The server that the browser returns to after a sign-in. It listens on loopback only. */
interface CallbackServer {
  readonly redirectUri: string;
  close(): Promise<void>;
}

interface CallbackOptions {
  /** The URL to listen on; if undefined, a free port is used. */
  readonly fixed: string | undefined;
  /** The redirect URI of an earlier sign-in, which the client is registered with. It is reused if its port is free. */
  readonly earlier: string | undefined;
  /** Receives the redirect parameters. Resolves or rejects with the text to show to the user. */
  readonly onRedirect: (parameters: URLSearchParams) => Promise<string>;
}

const ANY_PORT = 'http://127.0.0.1:0/callback';

async function listenForCallback({ fixed, earlier, onRedirect }: CallbackOptions): Promise<CallbackServer> {
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
    throw configError(`Cannot listen for the sign-in at ${url.href}: ${reason}.`, error);
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
  // The connection is closed; otherwise, the server could not close.
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

/** The page's URL contains the code, so the page is not cached and sends no referrer. */
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};
