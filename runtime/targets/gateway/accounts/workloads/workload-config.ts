import type { KeyChanges } from '../fields/keys.ts';

/** An OpenID Connect issuer whose tokens are accepted as credentials. */
export interface WorkloadIssuer {
  /** Name in the configuration. */
  readonly name: string;
  /** The issuer as in the tokens' claim `iss`. */
  readonly issuer: string;
  /** A token must have been issued for one of them. */
  readonly audiences: readonly string[];
  /** Where the issuer's keys are. Default: the URL in its metadata. */
  readonly keys: { readonly url: string } | { readonly file: string } | undefined;
  /** Maximum validity of short-lived keys. */
  readonly keyMs: number;
  /** Maximum number of users that the rules create. */
  readonly maxUsers: number;
  /** The first rule that matches a token's claims applies. */
  readonly rules: readonly WorkloadRule[];
}

/** What the holders of tokens with these claims can do. */
export interface WorkloadRule {
  readonly claims: ClaimPatterns;
  /** The user to bill, as a template of claims. */
  readonly user: string;
  readonly team: string | null;
  /** Settings of the user's key. Others are set in the gateway. */
  readonly settings: Pick<KeyChanges, 'allowedModels' | 'rpm' | 'tpm' | 'maxParallel' | 'budget'>;
}

/** Patterns for claims by name. A claim that is an object has patterns for its members. */
export interface ClaimPatterns {
  readonly [claim: string]: readonly string[] | ClaimPatterns;
}
