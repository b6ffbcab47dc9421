import { timingSafeEqual } from 'node:crypto';
import { isSameIssuer } from '#serve/oauth/server-metadata.ts';
import { OAuthFailure, errorResponseOf } from '#serve/oauth/oauth-failure.ts';
import { sha256 } from '#platform/sha256.ts';

export interface ExpectedResponse {
  readonly state: string;
  readonly issuer: string;
  /** Whether the authorization server always sends `iss`. */
  readonly sendsIssuer: boolean;
}

/** Failure code for a redirect that belongs to another sign-in. Such a redirect does not end this sign-in. */
export const UNKNOWN_STATE = 'unknown_state';

/**
 * Returns the code in the redirect URL. Rejects a response to another request (`state`) or from another
 * authorization server (`iss`), which could be an attempt to steal the code (RFC 9207).
 */
export function readAuthorizationResponse(
  parameters: URLSearchParams,
  { state, issuer, sendsIssuer }: ExpectedResponse,
): string {
  const one = (name: string): string | undefined => {
    const values = parameters.getAll(name);
    if (values.length > 1)
      throw new OAuthFailure(`The redirect contains the parameter ${name} more than once.`);
    return values[0];
  };
  if (!isSameText(one('state') ?? '', state)) {
    throw new OAuthFailure('The redirect has an unknown state and belongs to another sign-in.', {
      code: UNKNOWN_STATE,
    });
  }
  const iss = one('iss');
  if (iss === undefined ? sendsIssuer : !isSameIssuer(iss, issuer)) {
    throw new OAuthFailure('The redirect has the wrong iss and does not come from the authorization server.');
  }
  const error = one('error');
  if (error !== undefined) {
    const body = { error, error_description: one('error_description') };
    throw errorResponseOf('The authorization server rejected the request', 0, body);
  }
  const code = one('code');
  if (code === undefined || code === '') throw new OAuthFailure('The redirect contains no code.');
  return code;
}

const isSameText = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(Buffer.from(one))), Buffer.from(sha256(Buffer.from(other))));
