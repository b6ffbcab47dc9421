import { createHash } from 'node:crypto';
import type { Hasher } from '#contract/container/verify.ts';
import { newSha256 } from '#platform/sha256.ts';
import type { HubFile } from './repository-files.ts';

const SHA256_LENGTH = 64;

/** Computes the hash that the hub states for a file: SHA-256 of large files, else that of Git, which includes the size. */
export function newContentHash({ hash, bytes }: HubFile): Hasher {
  if (hash.length === SHA256_LENGTH) return newSha256();
  const git = createHash('sha1').update(`blob ${bytes}\0`);
  return {
    update: (chunk) => void git.update(chunk),
    hex: () => git.digest('hex'),
  };
}
