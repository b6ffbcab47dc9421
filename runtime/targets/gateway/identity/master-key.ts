import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../contract/errors.ts';
import { refused, tokenOf } from './credentials.ts';
import type { HeaderReader } from './api.ts';
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
  // Hashes are of one length, so the time that comparing takes tells nothing.
  const hasHash = (hash: string): boolean =>
    expected !== undefined && timingSafeEqual(expected, Buffer.from(hash));
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
