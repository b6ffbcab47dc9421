import type { Clock } from '../../platform/clock.ts';
import type { Identity, RateLimits } from './accounts/identity/identity.ts';
import { createIdentity } from './accounts/identity/create-identity.ts';
import type { Budgets, Ledger, Prices } from './accounts/ledger/ledger.ts';
import { createBudgets } from './accounts/ledger/budgets.ts';
import { openLedger } from './accounts/ledger/open-ledger.ts';
import { createObjects } from './accounts/objects/create-objects.ts';
import type { Objects } from './accounts/objects/objects.ts';
import { createPrices } from './accounts/ledger/prices.ts';
import { createPriceMaps, type PriceMaps } from './accounts/price-map/price-maps.ts';
import type { UsageReports } from './accounts/ledger/usage-api.ts';
import { createUsageReports } from './accounts/ledger/usage-reports.ts';
import type { Store } from './store/store.ts';
import { type FollowedRevision, followRevision } from './store/followed-revision.ts';

/** Everything that the gateway stores: identities, budgets, prices and usage. */
export interface GatewayState {
  readonly identity: Identity;
  readonly ledger: Ledger;
  readonly budgets: Budgets;
  readonly prices: Prices;
  readonly priceMaps: PriceMaps;
  readonly usage: UsageReports;
  readonly objects: Objects;
  /** Writes pending changes and closes the database. */
  readonly close: () => Promise<void>;
}

export interface GatewayStateOptions {
  readonly clock: Clock;
  readonly masterKey: string | undefined;
  readonly userLimits?: Partial<RateLimits> | undefined;
  /** Takes errors of background tasks. */
  readonly onError: (error: unknown) => void;
}

/** Opens all parts of the state. Closing it also closes the store. */
export async function openGatewayState(store: Store, options: GatewayStateOptions): Promise<GatewayState> {
  const revision = followRevision(store, options.clock);
  const administration = administer(store, revision, options);
  const { identity } = administration;
  const ledger = await openLedger(store, { ...options, revision, identity });
  return {
    ...administration,
    ledger,
    close: async () => {
      await ledger.close();
      await administration.close();
    },
  };
}

/** The state without the ledger. Commands accept no requests, so they leave balances to running gateways. */
export type Administration = Omit<GatewayState, 'ledger'>;

/** Opens the state for commands. Closing it also closes the store. */
export const openAdministration = (store: Store, clock: Clock): Administration =>
  administer(store, followRevision(store, clock), { clock, masterKey: undefined });

function administer(
  store: Store,
  revision: FollowedRevision,
  options: Omit<GatewayStateOptions, 'onError'>,
): Administration {
  const { clock } = options;
  const identity = createIdentity(store, { ...options, revision });
  return {
    identity,
    budgets: createBudgets(store, revision, clock),
    prices: createPrices(store, revision, clock),
    priceMaps: createPriceMaps(store, revision, clock),
    usage: createUsageReports(store),
    objects: createObjects(store, clock),
    close: async () => {
      await identity.close();
      await store.close();
    },
  };
}
