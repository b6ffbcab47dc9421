import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { AppError, inputError } from '#contract/errors.ts';
import { addressKind, isIpAddress, isLocalHost } from '#core/net/public-address.ts';
import { redirectTarget } from '#core/net/redirect-target.ts';
import { isUrlOf, type UrlHost } from '#core/net/url-hosts.ts';
import { guardedLookup } from './guarded-lookup.ts';

export interface FileFetcherOptions {
  /** The only hosts to which requests are sent. */
  readonly hosts: readonly UrlHost[];
  readonly maxBytes: number;
  /** Maximum time for a file, including redirects. */
  readonly timeoutMs: number;
}

export interface FileFetcher {
  /**
   * Fetches a file. `take` receives the size of each part before it is kept. Rejects with an AppError, whose
   * message reveals nothing about the network that this program runs in.
   */
  fetch(url: string, signal: AbortSignal, take: (bytes: number) => void): Promise<Uint8Array>;
  close(): Promise<void>;
}

const MAX_REDIRECTS = 3;

/**
 * Creates a client that fetches files from listed hosts. A listed name must have public addresses, because the
 * owner of a domain can point it to any address; `localhost` and private addresses are allowed if they are
 * listed themselves. The address of each connection is checked, so a name cannot resolve to a public address
 * for the check and to a private one for the connection.
 */
export function createFileFetcher(options: FileFetcherOptions): FileFetcher {
  const { maxBytes, timeoutMs } = options;
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  const fetchFrom = async (
    first: URL,
    signal: AbortSignal,
    take: (bytes: number) => void,
  ): Promise<Uint8Array> => {
    let url = checked(first, options);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const body = await send(url, agents, signal);
      const { statusCode = 0, headers } = body;
      // A body that is destroyed before its end emits an error, which would end the process.
      body.on('error', () => {});
      if (statusCode === OK) return await readBody(body, { host: url.host, headers, maxBytes, take });
      // Reading the body of another status, which can have any length, would keep its connection alive.
      body.destroy();
      const target = redirectTarget(url, statusCode, headers.location);
      if (target === 'none') throw inputError(`${url.host} returned the status ${statusCode}.`);
      if (target === 'invalid' || target === 'without TLS') {
        throw inputError(`${url.host} redirects to a URL without TLS, or to an invalid one.`);
      }
      if (!isUrlOf(target, options.hosts)) {
        // The name of the other host can be one of the internal network.
        throw inputError(`${url.host} redirects to another host, which is not allowed.`);
      }
      url = checked(target, options);
    }
    throw inputError(`${url.host} redirects more than ${MAX_REDIRECTS} times.`);
  };
  return {
    async fetch(text, signal, take) {
      const url = URL.parse(text);
      if (!url) throw inputError('The URL is invalid.');
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        return await fetchFrom(url, AbortSignal.any([signal, timeout]), take);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError) throw error;
        if (timeout.aborted)
          throw inputError(`${url.host} did not send the file within ${timeoutMs / 1000} s.`, error);
        throw unreachable(url.host, error);
      }
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
      return Promise.resolve();
    },
  };
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** Sends a request with Node's own client, so that executables do not have to include undici. */
function send(url: URL, agents: Agents, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { accept: 'image/*', 'accept-encoding': 'identity' };
  const options = { headers, lookup: listedLookup, signal };
  const sent =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...options, agent: agents.https }, resolve)
      : httpRequest(url, { ...options, agent: agents.http }, resolve);
  sent.on('error', reject);
  sent.end();
  return promise;
}

const OK = 200;

/**
 * The error for names that do not exist, for private addresses and for connections that fail, which callers
 * must not be able to distinguish.
 */
const unreachable = (host: string, cause?: unknown): AppError =>
  inputError(`${host} cannot be reached at a public address, or the connection failed.`, cause);

const notPublic = (host: string, address: string): Error =>
  new Error(`${host} has the address ${address}, which is not public`);

const lookups = {
  public: guardedLookup({ allowsPrivate: false, refusal: notPublic }),
  local: guardedLookup({ allowsPrivate: true, refusal: notPublic }),
};

/** Names reach this lookup only if they are listed. */
const listedLookup: LookupFunction = (hostname, options, callback) =>
  lookups[isLocalHost(hostname) ? 'local' : 'public'](hostname, options, callback);

function checked(url: URL, { hosts }: FileFetcherOptions): URL {
  const { protocol, username, password, hostname } = url;
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '' || password !== '') {
    throw inputError('The URL must start with https:// or http://, and cannot contain credentials.');
  }
  if (!isUrlOf(url, hosts)) {
    throw inputError(`Files are not fetched from ${url.host}, which is not one of the allowed hosts.`);
  }
  // Addresses are not resolved, so the lookup does not check them. This one is listed.
  if (isIpAddress(hostname) && addressKind(hostname) === 'never') throw unreachable(url.host);
  return url;
}

interface BodyRules {
  readonly host: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly maxBytes: number;
  readonly take: (bytes: number) => void;
}

async function readBody(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown },
  { host, headers, maxBytes, take }: BodyRules,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const check = (bytes: number): void => {
    if (bytes > maxBytes)
      throw new AppError(
        'TooLargeError',
        `The file at ${host} has more than ${maxBytes} bytes, the maximum. Use a smaller file.`,
      );
  };
  try {
    const encoding = headers['content-encoding'] ?? 'identity';
    // Decoding was not requested, and a small body can become a large one.
    if (encoding !== 'identity')
      throw inputError(`${host} returned a compressed response, which is not read.`);
    check(Number(headers['content-length'] ?? 0));
    for await (const piece of body) {
      length += piece.length;
      check(length);
      take(piece.length);
      pieces.push(piece);
    }
  } catch (error) {
    body.destroy();
    throw error;
  }
  return Buffer.concat(pieces);
}
