import { hash, randomBytes } from 'node:crypto';
import type { AppError } from '../../../../contract/errors.ts';
import { refused } from './credentials.ts';

const PREFIX = 'gw-';
/** 64 characters in base64url. */
const SECRET_BYTES = 48;
const LEAST_LENGTH = 50;
const SHOWN_LENGTH = 10;

export interface Secret {
  readonly text: string;
  readonly hash: string;
  /** By which people recognise it. */
  readonly prefix: string;
}

export function newSecret(): Secret {
  const text = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  return { text, hash: hashOf(text), prefix: text.slice(0, SHOWN_LENGTH) };
}

/** Secrets are 384 random bits: nobody finds one by its hash, so none that takes long is needed. */
export const hashOf = (text: string): string => hash('sha256', text);

/** What is wrong with how it looks, so that what cannot be a key costs no look into the database. */
export function badFormat(text: string): AppError | undefined {
  const problem = problemOf(text);
  return problem === undefined ? undefined : refused(`Invalid API key format: ${problem}`, 'invalid_key');
}

function problemOf(text: string): string | undefined {
  if (!text.startsWith(PREFIX)) return "API key must start with 'gw-' prefix";
  if (text.length < LEAST_LENGTH) {
    return `API key is too short. Expected at least ${LEAST_LENGTH} characters, got ${text.length}`;
  }
  if (!/^[A-Za-z0-9_-]+$/.test(text)) {
    return 'API key contains invalid characters. Must match pattern: gw-[A-Za-z0-9_-]+';
  }
  return undefined;
}
