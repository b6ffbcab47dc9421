import type { TeamRole } from '../identity/groups-api.ts';
import type { UserRole } from '../fields/users.ts';

/** Sign-in by OpenID Connect. */
export interface SignInConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** Origin at which browsers reach the gateway. */
  readonly publicUrl: string;
  readonly scopes: readonly string[];
  /** Claim that is the user id. */
  readonly userClaim: string;
  readonly groupsClaim: string;
  /** Whether users are created at their first sign-in. */
  readonly createUsers: boolean;
  readonly sessionMs: number;
  readonly groups: readonly GroupRule[];
}

/** What a group of the provider is in the gateway. */
export interface GroupRule {
  readonly group: string;
  readonly role: UserRole | undefined;
  readonly team: string | undefined;
  readonly teamRole: TeamRole;
}
