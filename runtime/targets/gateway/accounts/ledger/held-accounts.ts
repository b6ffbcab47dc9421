import { keyAccount, userAccount } from '../../store/account-ids.ts';
import { keyLabel, userLabel } from '../identity/account-labels.ts';
import type { Limits, Spender } from '../identity/identity.ts';

/** An account that a request is held against and charged to. */
export interface HeldAccount {
  readonly id: string;
  readonly limits: Limits;
  /** Its name in errors and alerts. */
  readonly label: () => string;
}

/** All accounts of a request, in the order in which their limits are checked: of the key, of the user, and further ones. */
export function heldAccounts({ user, key, shared }: Spender): HeldAccount[] {
  const ofUser = {
    id: userAccount(user.userId),
    limits: user.limits,
    label: () => userLabel(user),
  };
  const ofOthers = shared.map(({ account: id, limits, label }) => ({ id, limits, label: () => label }));
  if (!key) return [ofUser, ...ofOthers];
  const ofKey = {
    id: keyAccount(key.id),
    limits: key.limits,
    label: () => keyLabel(key),
  };
  return [ofKey, ofUser, ...ofOthers];
}
