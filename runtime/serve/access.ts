import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '#contract/errors.ts';

/** Access control of a server. */
export interface Access {
  /**
   * Checks the `Authorization` header. Throws an UnauthorizedError unless it contains one of the
   * keys; if no keys are configured, every caller is accepted. Returns the key's owner if keys have
   * owners.
   */
  readonly check: (authorization: string | null | undefined) => Principal | undefined;
  /**
   * Checks an access token from an authorization server. Returns undefined if the header does not
   * contain an access token.
   */
  readonly checkToken?:
    | ((authorization: string | null | undefined) => Promise<Principal> | undefined)
    | undefined;
}

/** Checks the `Authorization` header, which contains an access token or a key. */
export const authenticate = (
  { check, checkToken }: Access,
  authorization: string | null | undefined,
): Promise<Principal> | Principal | undefined => checkToken?.(authorization) ?? check(authorization);

/** An authenticated caller. */
export interface Principal {
  /** Name of the caller, for logs. */
  readonly name: string;
}

/** Creates access control with a list of equivalent keys. */
export function createAccess(apiKeys: readonly string[]): Access {
  const digests = apiKeys.map(digestOf);
  return {
    check(authorization) {
      if (digests.length === 0) return undefined;
      const given = digestOf(requireBearerToken(authorization));
      // Compares the digest of the given key with the digest of every configured key, so that the
      // timing does not reveal anything about the keys.
      const known = digests.map((key) => timingSafeEqual(key, given)).includes(true);
      if (!known) throw unknownKey();
      return undefined;
    },
  };
}

/** Whether calls without a key are rejected. */
export function needsKey({ check }: Access): boolean {
  try {
    check(undefined);
    return false;
  } catch {
    return true;
  }
}

/** Returns the key in an `Authorization` header. Throws an UnauthorizedError if there is none. */
export function requireBearerToken(authorization: string | null | undefined): string {
  const token = readBearerToken(authorization);
  if (token !== undefined) return token;
  throw new AppError('UnauthorizedError', 'Missing API key. Send the header `Authorization: Bearer <key>`.');
}

export const unknownKey = (): AppError => new AppError('UnauthorizedError', 'Invalid API key.');

/** Hashes a key for comparison. */
export const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

const SCHEME = 'bearer ';

/**
 * Returns the token in an `Authorization` header or in another header with the same format;
 * undefined if there is none. The scheme is case-insensitive and followed by one or more spaces.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.4
 */
export function readBearerToken(value: string | null | undefined): string | undefined {
  const credentials = value?.trim() ?? '';
  if (credentials.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  return credentials.slice(SCHEME.length).trim();
}
