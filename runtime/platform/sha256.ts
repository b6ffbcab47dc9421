import { createHash } from 'node:crypto';
import type { Hasher } from '#contract/container/verify.ts';

export function newSha256(): Hasher {
  const hash = createHash('sha256');
  return {
    update: (bytes) => void hash.update(bytes),
    hex: () => hash.digest('hex'),
  };
}

export const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

export const sha256Digest = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
