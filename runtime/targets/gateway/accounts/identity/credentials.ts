import { AppError } from '#contract/errors.ts';
import { readBearerToken } from '#serve/access.ts';
import type { HeaderReader } from './identity.ts';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Headers of Anthropic's, Google's and Azure's APIs, in which clients send the token without a scheme. */
export const RAW_HEADERS = ['x-api-key', 'x-goog-api-key', 'api-key'] as const;

/**
 * A request's token, from the first non-empty one of these headers: `X-Gateway-Key`, `Otari-Key`,
 * `Authorization`, `x-api-key`, `x-goog-api-key`, `api-key`. If it is invalid, later headers are not tried.
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

/** A request's token; undefined without a valid header. */
export function tokenIn(headers: HeaderReader): string | undefined {
  try {
    return tokenOf(headers);
  } catch {
    return undefined;
  }
}

/** Prefix that distinguishes worker tokens, which can call one job's models, from API keys. */
export const WORKER_PREFIX = 'gwjob-';

/** The worker token in a request; undefined for any other credential. */
export function workerTokenIn(headers: HeaderReader): string | undefined {
  const token = readBearerToken(headers.get('x-gateway-key') || headers.get('authorization'));
  return token?.startsWith(WORKER_PREFIX) ? token : undefined;
}

export const refused = (message: string, reason: string): AppError =>
  new AppError('UnauthorizedError', message, { reason });

const PREFIX = 'gw-';

/** Number of random bytes in a secret, which makes 64 characters in base64url. */
const SECRET_BYTES = 48;

const MIN_LENGTH = 50;

const SHOWN_PREFIX_LENGTH = 10;

interface Secret {
  readonly text: string;
  readonly hash: string;
  /** Length of the secret's prefix, which is stored so that people can recognize the key. */
  readonly prefix: string;
}

export function newKeySecret(): Secret {
  const text = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  return { text, hash: hashOf(text), prefix: text.slice(0, SHOWN_PREFIX_LENGTH) };
}

/**
 * A token's hash. Secrets have 384 random bits and cannot be guessed from a hash, so a slow password hash is
 * unnecessary.
 */
export const hashOf = (text: string): string => hash('sha256', text);

/** Checks a token's format, so that malformed tokens do not cost a database query. Undefined if it is valid. */
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
  /** Compares by token hash, which callers compute for keys anyway. */
  readonly hasHash: (hash: string) => boolean;
  /**
   * Throws an UnauthorizedError if the request does not contain the master key, and an UnavailableError if
   * none is configured.
   */
  readonly require: (headers: HeaderReader) => void;
}

/** Checks requests for the master key. If none is configured, or it is empty, no token matches. */
export function createMasterKey(key: string | undefined): MasterKey {
  const expected = key ? Buffer.from(hashOf(key)) : undefined;
  // One buffer is reused, which is safe because the comparison is synchronous.
  const received = Buffer.alloc(expected?.length ?? 0);
  const hasHash = (hash: string): boolean => {
    if (expected === undefined) return false;
    received.write(hash);
    // All hashes have the same length, and the comparison takes constant time, so its duration reveals
    // nothing.
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

/**
 * The prefix of a request's API key, as shown in lists. Undefined for anything else, which could be a
 * mistyped master key.
 */
export function shownPrefixIn(headers: HeaderReader): string | undefined {
  try {
    const token = tokenOf(headers);
    return badFormat(token) === undefined ? token.slice(0, SHOWN_PREFIX_LENGTH) : undefined;
  } catch {
    return undefined;
  }
}
