import { randomBytes } from 'node:crypto';
import { digestOf } from '../../../serve/access.ts';
import type { KeyRecord } from './key-record.ts';

/** Makes keys recognisable, for people and for tools that look for leaked ones. */
const PREFIX = 'mcpm_';
const KEY_BYTES = 32;
const ID_BYTES = 4;

export interface NewKey {
  /** Shown once. */
  readonly key: string;
  readonly record: KeyRecord;
}

export function newKey(scope: Omit<KeyRecord, 'id' | 'hash'>): NewKey {
  const key = PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  const record = { id: randomBytes(ID_BYTES).toString('hex'), hash: digestOf(key).toString('hex'), ...scope };
  return { key, record };
}
