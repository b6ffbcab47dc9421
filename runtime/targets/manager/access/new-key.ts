import { randomBytes } from 'node:crypto';
import { digestOf } from '#serve/access.ts';
import type { KeyRecord } from './key-file.ts';

/** Key prefix, which lets people and secret scanners recognize leaked keys. */
const PREFIX = 'mcpm_';
const KEY_BYTES = 32;
const ID_BYTES = 4;

/** Whether a bearer token has the format of a key. */
export const isKey = (token: string): boolean => token.startsWith(PREFIX);

interface NewKey {
  /** The secret, which is shown once and never stored. */
  readonly key: string;
  readonly record: KeyRecord;
}

export function newKey(scope: Omit<KeyRecord, 'id' | 'hash'>): NewKey {
  const key = PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  const record = { id: randomBytes(ID_BYTES).toString('hex'), hash: digestOf(key).toString('hex'), ...scope };
  return { key, record };
}
