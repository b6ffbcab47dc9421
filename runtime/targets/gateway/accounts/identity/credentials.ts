import { AppError } from '#contract/errors.ts';
import { readBearerToken } from '#serve/access.ts';
import type { HeaderReader } from './identity.ts';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Headers of the APIs of Anthropic, Google and Azure, whose clients send the token without a scheme. */
export const RAW_HEADERS = ['x-api-key', 'x-goog-api-key', 'api-key'] as const;

/**
 * The token of a request, from the first of these headers that is not empty: `X-Gateway-Key`, `Otari-Key`, `Authorization`,
 * `x-api-key`, `x-goog-api-key`, `api-key`. An invalid token in one header is not replaced by a valid one in the next.
 */
export function tokenOf(headers: HeaderReader): string {
  const value = headers.get('x-gateway-key') || headers.get('otari-key') || headers.get('authorization');
  if (!value) {
    const raw = RAW_HEADERS.map((name) => headers.get(name)).find(Boolean);
    if (raw) return raw;
    throw refused('Missing X-Gateway-Key or Authorization header', 'missing_credentials');
  }
  const token = readBearerToken(value);
  if (token === undefined)
    throw refused("Invalid header format. Expected 'Bearer <token>'", 'invalid_format');
  return token;
}

/** The token of a request; undefined without a valid header. */
export function tokenIn(headers: HeaderReader): string | undefined {
  try {
    return tokenOf(headers);
  } catch {
    return undefined;
  }
}

/** Prefix that distinguishes the tokens of workers, which call the models of one job, from API keys. */
export const WORKER_PREFIX = 'gwjob-';

/** The token of a worker in a request; undefined for any other credential. */
export function workerTokenIn(headers: HeaderReader): string | undefined {
  const token = readBearerToken(headers.get('x-gateway-key') || headers.get('authorization'));
  return token?.startsWith(WORKER_PREFIX) ? token : undefined;
}

export const refused = (message: string, reason: string): AppError =>
  new AppError('UnauthorizedError', message, { reason });

const PREFIX = 'gw-';

/** Number of random bytes in a secret, which are 64 characters in base64url. */
const SECRET_BYTES = 48;

const MIN_LENGTH = 50;

const SHOWN_PREFIX_LENGTH = 10;

interface Secret {
  readonly text: string;
  readonly hash: string;
  /** First characters of the secret, which are stored so that people can recognize the key. */
  readonly prefix: string;
}

export function newKeySecret(): Secret {
  const text = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  return { text, hash: hashOf(text), prefix: text.slice(0, SHOWN_PREFIX_LENGTH) };
}

/** The hash of a token. Secrets have 384 random bits and cannot be guessed from a hash, so a slow password hash is not needed. */
export const hashOf = (text: string): string => hash('sha256', text);

/** Checks the format of a token, so that malformed tokens do not cost a database query. Undefined if it is valid. */
export function badFormat(text: string): AppError | undefined {
  const problem = problemOf(text);
  return problem === undefined ? undefined : refused(`Invalid API key format: ${problem}`, 'invalid_key');
}

function problemOf(text: string): string | undefined {
  if (!text.startsWith(PREFIX)) return "API key must start with 'gw-' prefix";
  if (text.length < MIN_LENGTH) {
    return `API key is too short. Expected at least ${MIN_LENGTH} characters, got ${text.length}`;
  }
  if (!/^[A-Za-z0-9_-]+$/.test(text)) {
    return 'API key contains invalid characters. Must match pattern: gw-[A-Za-z0-9_-]+';
  }
  return undefined;
}

interface MasterKey {
  /** Compares by the hash of the token, which callers compute for keys anyway. */
  readonly hasHash: (hash: string) => boolean;
  /** Throws an UnauthorizedError if the request does not have the master key, and an UnavailableError if none is configured. */
  readonly require: (headers: HeaderReader) => void;
}

/** Checks requests for the master key. Without a configured one, or with an empty one, no token matches. */
export function createMasterKey(key: string | undefined): MasterKey {
  const expected = key ? Buffer.from(hashOf(key)) : undefined;
  // One buffer is reused: the comparison is synchronous.
  const received = Buffer.alloc(expected?.length ?? 0);
  const hasHash = (hash: string): boolean => {
    if (expected === undefined) return false;
    received.write(hash);
    // All hashes have the same length, and the comparison takes constant time, so its duration reveals nothing.
    return timingSafeEqual(expected, received);
  };
  return {
    hasHash,
    require(headers) {
      if (expected === undefined) {
        throw new AppError(
          'UnavailableError',
          'Master key not configured. Set GATEWAY_MASTER_KEY environment variable.',
          { reason: 'master_key_missing' },
        );
      }
      if (!hasHash(hashOf(tokenOf(headers)))) throw refused('Invalid master key', 'invalid_key');
    },
  };
}

/** The prefix of the API key in a request, as lists show it. Undefined for anything else, which can be a mistyped master key. */
export function shownPrefixIn(headers: HeaderReader): string | undefined {
  try {
    const token = tokenOf(headers);
    return badFormat(token) === undefined ? token.slice(0, SHOWN_PREFIX_LENGTH) : undefined;
  } catch {
    return undefined;
  }
}
