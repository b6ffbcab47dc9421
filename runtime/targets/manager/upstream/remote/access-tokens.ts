import type { BearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import type { DpopKey } from '#serve/oauth/dpop-key.ts';

/** An access token, with the key that it is bound to, if any. */
export interface AccessToken {
  readonly value: string;
  readonly key?: DpopKey | undefined;
  /** The granted scopes, separated by spaces; undefined if unknown. */
  readonly scope?: string | undefined;
}

/** Access tokens for one server. */
export interface AccessTokens {
  /** Returns the token for a request; undefined if there is none yet. */
  current(): Promise<AccessToken | undefined>;
  /**
   * Returns another token after the server rejected one. Undefined if another one would also be rejected, so
   * that the response is the final result. Rejects with an AppError that explains how to solve it.
   */
  renew(refusal: TokenRejection): Promise<AccessToken | undefined>;
}

/** A response with status 401, or 403 because of missing scopes. */
export interface TokenRejection {
  readonly token: string | undefined;
  readonly status: number;
  readonly challenge: BearerChallenge | undefined;
}
