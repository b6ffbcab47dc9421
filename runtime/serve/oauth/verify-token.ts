import { lookup } from '#core/values/lookup.ts';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { AppError } from '#contract/errors.ts';
import type { KeyFinder } from './jwks.ts';
import { OAuthFailure } from './oauth-failure.ts';

/** Requirements for an access token. */
export interface TokenRules {
  readonly issuer: string;
  /** This server's identifiers. The token must have been issued for one of them. */
  readonly audiences: readonly string[];
  /** Allowed signature algorithms. */
  readonly algorithms: readonly string[];
}

/** Accepted clock difference between the issuer and this machine. */
const CLOCK_TOLERANCE_SECONDS = 30;

/**
 * Verifies the signature and claims of an access token, and returns its claims. Throws an
 * UnauthorizedError that explains the problem without showing the token, or an UnavailableError if
 * the issuer's keys cannot be read.
 */
export async function verifyToken(
  token: string,
  { issuer, audiences, algorithms }: TokenRules,
  keys: KeyFinder,
  now: () => number = Date.now,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: [...audiences],
      algorithms: [...algorithms],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now()),
      requiredClaims: ['exp'],
    });
    return payload;
  } catch (error) {
    if (error instanceof OAuthFailure) {
      throw new AppError(
        'UnavailableError',
        `The keys of the token issuer are not available: ${error.message}`,
        {
          cause: error,
          retryAfterSeconds: 5,
        },
      );
    }
    const message = `Invalid access token: ${reasonOf(error)}.`;
    throw new AppError('UnauthorizedError', message, { cause: error, reason: 'invalid_token' });
  }
}

const CLAIM_RULES = lookup<string>({
  iss: 'its issuer does not match the configured issuer',
  aud: 'it is for a different audience',
  exp: 'its expiry is missing or invalid',
  nbf: 'it is not valid yet',
});

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return CLAIM_RULES[error.claim] ?? `its claim ${error.claim} is invalid`;
  }
  if (error instanceof errors.JWKSNoMatchingKey) return 'its key is unknown';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is invalid';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its signature algorithm is not allowed';
  return 'it is malformed';
}
