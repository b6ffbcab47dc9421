import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { AppError, inputError, messageOf } from '#contract/errors.ts';
import { redirectTarget } from '#core/net/redirect-target.ts';
import { memberOf } from '#core/values/member-of.ts';
import { checkedUrl, providerLookup } from '../../../providers/adapters/upstream.ts';

/** A response with status 200. */
export interface Fetched {
  /** The final URL after redirects. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface Fetcher {
  /** Sends a GET request and follows redirects. Throws an InputError unless the status is 200. */
  get(url: URL, headers?: HeadersOf): Promise<Fetched>;
  close(): Promise<void>;
}

/** Headers for a URL. Credentials must not be returned for hosts other than the first one. */
export type HeadersOf = (url: URL) => Readonly<Record<string, string>>;

interface FetcherOptions {
  /** Whether loopback and private addresses are allowed. */
  readonly local: boolean;
  readonly signal: AbortSignal;
  /** The error for a status other than 200. `body` is the start of the response. */
  readonly explain?: (url: URL, status: number, body: string) => string | undefined;
}

const MAX_REDIRECTS = 5;
const CONNECT_MS = 10_000;
/** Maximum time without receiving a byte. */
const IDLE_MS = 60_000;
const MAX_ERROR_CHARACTERS = 4096;

/**
 * Creates an HTTP client for datasets. Each redirect is checked like the first URL; redirects from HTTPS to
 * HTTP are rejected.
 */
export function createFetcher({ local, signal, explain = () => undefined }: FetcherOptions): Fetcher {
  const agent = new Agent({
    connect: { timeout: CONNECT_MS, lookup: providerLookup(local) },
    headersTimeout: IDLE_MS,
    bodyTimeout: IDLE_MS,
  });
  const send = async (url: URL, headersOf: HeadersOf): Promise<Fetched | URL> => {
    checkAddress(url, local);
    const headers = { accept: '*/*', 'accept-encoding': 'identity', ...headersOf(url) };
    const {
      statusCode,
      headers: received,
      body,
    } = await request(url, { dispatcher: agent, headers, signal });
    if (statusCode === 200) return { url, headers: received, bytes: body as AsyncIterable<Uint8Array> };
    const text = await startOf(body);
    const target = redirectTarget(url, statusCode, received['location']);
    if (target === 'none')
      throw inputError(explain(url, statusCode, text) ?? `${shown(url)} returned status ${statusCode}.`);
    if (target === 'invalid') throw inputError(`${shown(url)} redirects to an invalid URL.`);
    if (target === 'without TLS')
      throw inputError(`${shown(url)} redirects to a URL without TLS, which is not allowed.`);
    return target;
  };
  return {
    async get(first, headersOf = () => ({})) {
      let url = first;
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const startedAt = performance.now();
        const answer = await send(url, headersOf).catch(async (error: unknown) => {
          if (!isRefusedName(error, local)) throw explained(url, error, signal);
          // Private names resolve faster than nonexistent ones.
          const rest = REFUSAL_MS - (performance.now() - startedAt);
          await sleep(Math.max(0, rest), undefined, { signal }).catch(() => undefined);
          throw noPublicAddress(url, error);
        });
        if (!(answer instanceof URL)) return { ...answer, bytes: read(answer, signal) };
        url = answer;
      }
      throw inputError(`${shown(first)} redirects more than ${MAX_REDIRECTS} times.`);
    },
    close: () => agent.destroy(),
  };
}

function checkAddress(url: URL, local: boolean): void {
  try {
    checkedUrl('dataset', url.href, local);
  } catch (error) {
    throw new AppError(
      'InputError',
      `${shown(url)} is not allowed. Use http:// or https://, no credentials in the URL, and a public address. The operator of the gateway can allow private addresses.`,
      { cause: error, reason: 'private_address' },
    );
  }
}

/** How long it takes to reject an unusable name, regardless of the reason. */
const REFUSAL_MS = 1000;

/**
 * Whether the name has no address, or none that is allowed. Users must not learn which names exist in the
 * gateway's network, so both cases return the same error. If private addresses are allowed, there is nothing
 * to hide.
 */
const isRefusedName = (error: unknown, local: boolean): boolean =>
  !local &&
  ((error instanceof AppError && error.code === 'ConfigError') ||
    memberOf(error, 'syscall') === 'getaddrinfo');

const noPublicAddress = (url: URL, cause: unknown): AppError =>
  new AppError('InputError', `${shown(url)} does not have a public address, which is required.`, {
    cause,
    reason: 'private_address',
  });

async function* read({ url, bytes }: Fetched, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  try {
    yield* bytes;
  } catch (error) {
    throw explained(url, error, signal);
  }
}

function explained(url: URL, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return inputError(`Importing ${shown(url)} timed out or was canceled.`, error);
  if (error instanceof AppError && error.code === 'InputError') return error;
  return inputError(`Cannot read ${shown(url)}: ${messageOf(error)}.`, error);
}

async function startOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of body) {
    text += Buffer.from(piece).toString('utf8');
    if (text.length > MAX_ERROR_CHARACTERS) break;
  }
  return text.slice(0, MAX_ERROR_CHARACTERS);
}

/** The URL without its query, which can contain a signature. */
export const shown = (url: URL): string => `${url.origin}${url.pathname}`.slice(0, 300);
