import { digestOf } from '#serve/access.ts';
import type { KeyRecord } from '#manager/access/key-file.ts';

/** The key file's entry for this key. */
export const keyOf = (key: string, changes: Partial<KeyRecord> = {}): KeyRecord => ({
  id: digestOf(key).toString('hex').slice(0, 8),
  name: key,
  hash: digestOf(key).toString('hex'),
  servers: [],
  tools: [],
  readOnly: false,
  admin: false,
  created: '2026-01-01T00:00:00.000Z',
  ...changes,
});

export const bearer = (key: string): string => `Bearer ${key}`;
