import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../contract/errors.ts';

/** Who may call. */
export interface Access {
  /**
   * Throws an UnauthorizedError unless the `Authorization` header carries one of the keys; without keys anyone may call.
   * Returns whose key it is, where keys belong to someone.
   */
  readonly check: (authorization: string | null | undefined) => Principal | undefined;
}

/** Whoever calls. */
export interface Principal {
  /** For logs. */
  readonly name: string;
}

/** Access with a few keys, one as good as the other. */
export function createAccess(apiKeys: readonly string[]): Access {
  const digests = apiKeys.map(digestOf);
  return {
    check(authorization) {
      if (digests.length === 0) return undefined;
      const given = digestOf(bearerToken(authorization));
      // Every key is compared, and digests are of one length, so the time tells nothing about the keys.
      const known = digests.map((key) => timingSafeEqual(key, given)).includes(true);
      if (!known) throw unknownKey();
      return undefined;
    },
  };
}

/** Whether a call without a key is refused. */
export function needsKey({ check }: Access): boolean {
  try {
    check(undefined);
    return false;
  } catch {
    return true;
  }
}

/** The key in an `Authorization` header. Throws an UnauthorizedError if there is none. */
export function bearerToken(authorization: string | null | undefined): string {
  const [, token] = /^Bearer +(.+)$/i.exec(authorization ?? '') ?? [];
  if (token !== undefined) return token.trim();
  throw new AppError('UnauthorizedError', 'Missing API key. Send the header `Authorization: Bearer <key>`.');
}

export const unknownKey = (): AppError => new AppError('UnauthorizedError', 'Invalid API key.');

/** Keys are compared by these. */
export const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();
