import type { TeamRole } from '../identity/groups-api.ts';
import type { UserRole } from '../fields/users.ts';

/** Sign-in with OpenID Connect. */
export interface SignInConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** Origin at which browsers reach the gateway. */
  readonly publicUrl: string;
  readonly scopes: readonly string[];
  /** Claim used as the user ID. */
  readonly userClaim: string;
  readonly groupsClaim: string;
  /** Whether users are created at their first sign-in. */
  readonly createUsers: boolean;
  readonly sessionMs: number;
  readonly groups: readonly GroupRule[];
}

/** What a provider group maps to in the gateway. */
export interface GroupRule {
  readonly group: string;
  readonly role: UserRole | undefined;
  readonly team: string | undefined;
  readonly teamRole: TeamRole;
}
