import { timingSafeEqual } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { refused, tokenOf } from './credentials.ts';
import type { HeaderReader } from './identity.ts';
import { hashOf } from './secret.ts';

export interface MasterKey {
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
