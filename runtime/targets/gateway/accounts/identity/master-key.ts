import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../../contract/errors.ts';
import { refused, tokenOf } from './credentials.ts';
import type { HeaderReader } from './identity.ts';
import { hashOf } from './secret.ts';

export interface MasterKey {
  /** By the token's hash, which callers need for keys as well. */
  readonly hasHash: (hash: string) => boolean;
  /** Throws an UnauthorizedError unless the request brings it, an UnavailableError if there is none. */
  readonly require: (headers: HeaderReader) => void;
}

/** Without a master key, or with an empty one, no token is it. */
export function createMasterKey(key: string | undefined): MasterKey {
  const expected = key ? Buffer.from(hashOf(key)) : undefined;
  // Written anew for each comparison, which is over at once.
  const given = Buffer.alloc(expected?.length ?? 0);
  const hasHash = (hash: string): boolean => {
    if (expected === undefined) return false;
    given.write(hash);
    // Hashes are of one length, so the time that comparing takes tells nothing.
    return timingSafeEqual(expected, given);
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
