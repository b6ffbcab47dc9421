import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { Identity } from '../accounts/identity/identity.ts';
import type { RedeemedCodes } from '../accounts/sign-in/redeemed-codes.ts';
import type { SignInConfig } from '../accounts/sign-in/sign-in-config.ts';
import type { SignInFlow } from '../accounts/sign-in/sign-in-flow.ts';
import { signingKey } from '../store/signing-key.ts';
import type { Store } from '../store/store.ts';

interface SignInParts {
  readonly store: Pick<Store, 'db'>;
  readonly identity: Identity;
  readonly codes: RedeemedCodes;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the sign-in; undefined if it is not configured. */
export async function openSignIn(
  config: SignInConfig | undefined,
  { store, identity, codes, clock, log }: SignInParts,
): Promise<SignInFlow | undefined> {
  if (!config) return undefined;
  // Imported on demand, because most gateways have no sign-in.
  const { createSignInFlow } = await import('../accounts/sign-in/sign-in-flow.ts');
  return createSignInFlow(config, {
    identity,
    codes,
    clock,
    key: await signingKey(store.db, 'sign-in'),
    onMissingTeam: (teamId) =>
      log.warn(`sign_in.groups names the team ${JSON.stringify(teamId)}, which does not exist.`),
  });
}
