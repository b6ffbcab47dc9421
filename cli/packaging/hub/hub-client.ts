import { AppError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { retryDelay, type RetryPolicy } from '#core/limits/retry-delay.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { pause } from '#platform/wait-for.ts';
import { createHttpClient, type HttpResponse } from '../../adapters/http-client.ts';
import {
  explainConnection,
  explainStatus,
  isUnavailable,
  type RequestSubject,
  UNREACHABLE,
} from './hub-errors.ts';
import { isSameOrigin, nextUrl } from './redirects.ts';
import type { HubSettings } from './settings.ts';
import { nextLink } from '#core/net/link-header.ts';

/**
 * Sends requests to one hub: adds its token, follows redirects, and retries after a pause if the
 * hub did not respond.
 */
export interface HubClient {
  /** Reads a JSON document. `path` starts with a slash, or is the complete URL of the next page of a list. */
  readJson(path: string, subject: RequestSubject): Promise<JsonDocument>;
  /** Starts a file download and returns a response with status 200, 206 or 416. Never retries. */
  open(path: string, subject: RequestSubject, from: number, signal: AbortSignal): Promise<HttpResponse>;
  /** Explains an error that occurs while reading the body of a download. */
  explain(error: unknown): unknown;
  /** Waits before a retry; returns false if the request must not be retried. */
  waitToRetry(error: unknown, retriesBefore: number, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

interface JsonDocument {
  readonly value: unknown;
  /** URL of the next page, if the document is part of a list. */
  readonly next: string | undefined;
}

const RETRIES: RetryPolicy = { retries: 5, baseDelay: 1000, maxDelay: 8000, maxPause: 120_000 };
/** Fewer retries, because an unreachable host is rarely reachable seconds later. */
const RETRIES_IF_UNREACHABLE: RetryPolicy = { ...RETRIES, retries: 2 };
const MAX_REDIRECTS = 10;
/** Far larger than one page of a file list. */
const MAX_JSON_BYTES = 32 * 1024 * 1024;

/** The client's dependencies, next to its settings. */
export interface Surroundings {
  /** Environment variables, which can name proxies. */
  readonly env: NodeJS.ProcessEnv;
  readonly userAgent: string;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export function createHubClient(
  settings: HubSettings,
  { env, userAgent, clock = systemClock, random = Math.random }: Surroundings,
): HubClient {
  const http = createHttpClient(env);
  const { endpoint, token, metadataSeconds, downloadSeconds } = settings;
  const { host } = new URL(endpoint);
  const metadata = { host, seconds: metadataSeconds, variable: 'HF_HUB_ETAG_TIMEOUT' };
  const download = { host, seconds: downloadSeconds, variable: 'HF_HUB_DOWNLOAD_TIMEOUT' };

  /** The token is only sent to the endpoint itself, never to the host of a redirect. */
  const follow = async (
    start: URL,
    headers: Readonly<Record<string, string>>,
    limits: { seconds: number; signal?: AbortSignal },
  ): Promise<HttpResponse> => {
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const authorization =
        token && isSameOrigin(url, endpoint) ? { authorization: `Bearer ${token.value}` } : {};
      const response = await http.get({
        url,
        // A compressed body would match neither the size nor the hash of the file.
        headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers, ...authorization },
        idleMs: limits.seconds * 1000,
        signal: limits.signal,
      });
      const location = REDIRECTS.has(response.status) ? response.header('location') : undefined;
      if (location === undefined) return response;
      response.discard();
      url = nextUrl(url, location);
    }
    throw new AppError(
      'UpstreamError',
      `${host} redirects in a loop. Check HF_ENDPOINT and the proxy variables.`,
    );
  };

  const failed = (response: HttpResponse, subject: RequestSubject): AppError => {
    response.discard();
    return explainStatus(response, subject, settings);
  };

  const waitToRetry: HubClient['waitToRetry'] = async (error, retriesBefore, signal) => {
    if (!isUnavailable(error)) return false;
    const { retryAfterSeconds, reason } = error;
    const policy = reason === UNREACHABLE ? RETRIES_IF_UNREACHABLE : RETRIES;
    const after = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
    const delay = retryDelay(retriesBefore, after, random, policy);
    if (delay === undefined) return false;
    await pause(delay, clock, signal);
    return !signal.aborted;
  };

  const readOnce = async (url: URL, subject: RequestSubject): Promise<JsonDocument> => {
    try {
      const response = await follow(url, { accept: 'application/json' }, { seconds: metadataSeconds });
      if (response.status !== 200) throw failed(response, subject);
      return { value: parse(await readText(response, host), host), next: nextPage(response) };
    } catch (error) {
      throw explainConnection(error, metadata);
    }
  };

  return {
    async readJson(path, subject) {
      const url = new URL(path.startsWith('/') ? `${endpoint}${path}` : path);
      const never = new AbortController().signal;
      for (let retries = 0; ; retries += 1) {
        try {
          return await readOnce(url, subject);
        } catch (error) {
          if (!(await waitToRetry(error, retries, never))) throw error;
        }
      }
    },
    async open(path, subject, from, signal) {
      const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
      const response = await follow(new URL(`${endpoint}${path}`), headers, {
        seconds: downloadSeconds,
        signal,
      }).catch((error: unknown) => {
        throw explainConnection(error, download);
      });
      if ([200, 206].includes(response.status) || (from > 0 && response.status === 416)) return response;
      throw failed(response, subject);
    },
    explain: (error) => explainConnection(error, download),
    waitToRetry,
    close: () => http.close(),
  };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function readText(response: HttpResponse, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MAX_JSON_BYTES) {
      throw new AppError('UpstreamError', `${host} sent more than 32 MiB of metadata. Check HF_ENDPOINT.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string, host: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw new AppError(
      'UpstreamError',
      `${host} does not respond like a Hugging Face hub. Check HF_ENDPOINT and the proxy variables.`,
      {
        cause: error,
      },
    );
  }
}

const nextPage = ({ header }: HttpResponse): string | undefined => nextLink(header('link') ?? '');
