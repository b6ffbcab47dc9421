import { hash, randomBytes } from 'node:crypto';
import type { AppError } from '#contract/errors.ts';
import { refused } from './credentials.ts';

const PREFIX = 'gw-';
/** Number of random bytes in a secret, which are 64 characters in base64url. */
const SECRET_BYTES = 48;
const MIN_LENGTH = 50;
export const SHOWN_PREFIX_LENGTH = 10;

export interface Secret {
  readonly text: string;
  readonly hash: string;
  /** First characters of the secret, which are stored so that people can recognize the key. */
  readonly prefix: string;
}

export function newSecret(): Secret {
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
