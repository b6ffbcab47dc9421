import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../contract/errors.ts';

/** Who may call. */
export interface Access {
  /** Throws an UnauthorizedError unless the `Authorization` header carries one of the keys; without keys anyone may call. */
  readonly check: (authorization: string | null | undefined) => void;
}

export function createAccess(apiKeys: readonly string[]): Access {
  const digests = apiKeys.map(digest);
  return {
    check(authorization) {
      if (digests.length === 0) return;
      const [, token] = /^Bearer +(.+)$/i.exec(authorization ?? '') ?? [];
      if (token === undefined) {
        throw new AppError(
          'UnauthorizedError',
          'This server needs an API key: send the header `Authorization: Bearer <key>`.',
        );
      }
      const given = digest(token.trim());
      // Every key is compared, and digests are of one length, so the time tells nothing about the keys.
      const known = digests.map((key) => timingSafeEqual(key, given)).includes(true);
      if (!known) throw new AppError('UnauthorizedError', 'The API key is not known to this server.');
    },
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
