import { createHash, randomBytes } from 'node:crypto';

/** Proof Key for Code Exchange with the only method that OAuth 2.1 allows, S256. @see https://www.rfc-editor.org/rfc/rfc7636 */
export interface Pkce {
  /** The client's secret, which the token request reveals. */
  readonly verifier: string;
  /** The hash of the verifier. It is part of the authorization request. */
  readonly challenge: string;
}

export function createPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: challengeOf(verifier) };
}

/** Returns a verifier's S256 challenge. @internal Exported for tests only. */
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier, 'ascii').digest('base64url');
