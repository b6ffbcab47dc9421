import type { BearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import type { DpopKey } from '#serve/oauth/dpop-key.ts';

/** An access token, and the key that it is bound to if it is. */
export interface AccessToken {
  readonly value: string;
  readonly key?: DpopKey | undefined;
}

/** The access tokens for one server. */
export interface AccessTokens {
  /** Returns the token for a request; undefined if there is none yet. */
  current(): Promise<AccessToken | undefined>;
  /**
   * Returns another token after the server rejected one. Undefined if another one would be rejected as well, so that the response
   * is the result. Rejects with an AppError with the way out.
   */
  renew(refusal: TokenRejection): Promise<AccessToken | undefined>;
}

/** A response with status 401, or with 403 because of missing scopes. */
export interface TokenRejection {
  readonly token: string | undefined;
  readonly status: number;
  readonly challenge: BearerChallenge | undefined;
}
