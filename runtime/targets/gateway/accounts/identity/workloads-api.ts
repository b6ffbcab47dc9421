/** Tokens of OpenID Connect issuers as credentials (docs/decisions/0214). */
export interface Workloads {
  /** Whether a credential is a token of an issuer or a short-lived key. */
  accepts(token: string): boolean;
  /**
   * The ID of the key that a token stands for. Only returns a promise if the token is new. Throws an
   * UnauthorizedError or a ForbiddenError.
   */
  keyId(token: string): string | Promise<string>;
  /** Forgets a token, whose key no longer exists. */
  forget(token: string): void;
  /** Exchanges a token of an issuer for a short-lived key. */
  exchange(token: string, seconds: number | undefined): Promise<ShortLivedKey>;
  close(): Promise<void>;
}

interface ShortLivedKey {
  readonly secret: string;
  readonly keyId: string;
  readonly expiresAt: number;
}
