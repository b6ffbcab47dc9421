import type { Clock } from '#platform/clock.ts';
import type { ThreadLink } from '#serve/threads/thread-link.ts';
import { type AuditLog, createAuditLog } from './accounts/audit/audit-log.ts';
import { createRefusedAttempts, type RefusedAttempts } from './accounts/audit/refused-attempts.ts';
import { createCacheClears, type CacheClears } from './accounts/cache-clears.ts';
import { createOutbox, type Outbox } from './alerts/outbox.ts';
import type { RateLimits } from './accounts/fields/shared-fields.ts';
import type { Identity } from './accounts/identity/identity.ts';
import { createIdentity, type IdentityOptions } from './accounts/identity/create-identity.ts';
import type { AlertPolicy } from './accounts/ledger/budget-alerts.ts';
import type { Budgets, Ledger, Prices } from './accounts/ledger/ledger.ts';
import { createBudgets } from './accounts/ledger/budgets.ts';
import { type LedgerOptions, openLedger } from './accounts/ledger/open-ledger.ts';
import { createThreadLedger, type LedgerFunctions } from './accounts/ledger/thread-ledger.ts';
import { createObjectMasks, type ObjectMasks } from './accounts/objects/object-masks.ts';
import { createObjects } from './accounts/objects/create-objects.ts';
import type { Objects } from './accounts/objects/objects.ts';
import { createRedeemedCodes, type RedeemedCodes } from './accounts/sign-in/redeemed-codes.ts';
import { createPrices } from './accounts/ledger/prices.ts';
import { createFeedbackLog, type FeedbackLog } from './accounts/feedback/feedback-log.ts';
import { createPromptLog, type PromptLog } from './accounts/prompts/prompt-log.ts';
import { createShadowRecords, type ShadowRecords } from './accounts/shadow/shadow-records.ts';
import { createGuardrailHits, type GuardrailHits } from './accounts/guardrail-hits/guardrail-hits.ts';
import { createRequestList, type RequestList } from './accounts/ledger/request-list.ts';
import type { UsageTrends } from './accounts/ledger/trends/trends-api.ts';
import { type BudgetForecasts, createBudgetForecasts } from './accounts/ledger/forecast/budget-forecasts.ts';
import { createLimitPruner } from './accounts/ledger/prune-limits.ts';
import { createUsageTrends } from './accounts/ledger/trends/usage-trends.ts';
import { createPriceMaps, type PriceMaps } from './accounts/price-map/price-maps.ts';
import { createModelEntries } from './accounts/registry/create-model-entries.ts';
import type { ModelEntries } from './accounts/registry/model-entries.ts';
import type { UsageReports } from './accounts/ledger/usage-api.ts';
import { createUsageReports } from './accounts/ledger/usage-reports.ts';
import type { AuditTrail } from './store/audit/audit-trail.ts';
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
  readonly trends: UsageTrends;
  readonly forecasts: BudgetForecasts;
  /** Deletes the accounts of limits that no budget has any longer; returns their number. */
  readonly pruneLimits: (now: number) => Promise<number>;
  readonly requests: RequestList;
  readonly guardrailHits: GuardrailHits;
  readonly alerts: Outbox;
  readonly cacheClears: CacheClears;
  readonly auditLog: AuditLog;
  readonly promptLog: PromptLog;
  readonly feedback: FeedbackLog;
  readonly shadowRecords: ShadowRecords;
  /** Records who changes what. */
  readonly audit: Pick<AuditTrail, 'actingAs'>;
  readonly refusedAttempts: RefusedAttempts;
  readonly objects: Objects;
  readonly objectMasks: ObjectMasks;
  readonly signInCodes: RedeemedCodes;
  readonly modelEntries: ModelEntries;
  /** Receives a database revision that another thread has read or created. */
  readonly noticeRevision: (revision: number) => void;
  /** Writes pending changes and closes the database. */
  readonly close: () => Promise<void>;
}

export interface GatewayStateOptions {
  readonly clock: Clock;
  readonly masterKey: string | undefined;
  readonly userLimits?: Partial<RateLimits> | undefined;
  readonly openWorkloads?: IdentityOptions['openWorkloads'];
  /** When to raise budget alerts; undefined if alerts are disabled. */
  readonly alertPolicy?: (() => AlertPolicy | undefined) | undefined;
  /** Called with errors from background tasks. */
  readonly onError: (error: unknown) => void;
  /** Receives the number of billed requests of killed processes. */
  readonly onInterrupted?: ((requests: number) => void) | undefined;
  /** The queues of requests that wait instead of being rejected. */
  readonly queues?: LedgerOptions['queues'];
  /** Called with each database revision that this thread has created; changes wait for it. */
  readonly onRevision?: ((revision: number) => Promise<void> | undefined) | undefined;
  /** The main thread, which has the ledger; undefined in the main thread. */
  readonly ledgerThread?: ThreadLink<LedgerFunctions> | undefined;
}

/** Opens all parts of the state. Closing it also closes the store. */
export async function openGatewayState(store: Store, options: GatewayStateOptions): Promise<GatewayState> {
  const { clock, onError, ledgerThread: link } = options;
  const revision = followRevision(store, clock, options.onRevision);
  const administration = administer(store, revision, options);
  const { identity } = administration;
  const ledger = link
    ? createThreadLedger({ link, clock, onRevision: revision.noticed, onError })
    : await openLedger(store, { ...options, revision, identity });
  const refusedAttempts = createRefusedAttempts(store, options);
  return {
    ...administration,
    ledger,
    refusedAttempts,
    close: async () => {
      await refusedAttempts.close();
      await ledger.close();
      await administration.close();
    },
  };
}

/**
 * The state without the parts that only requests need. Commands serve no requests, so they leave balances to
 * running gateways.
 */
export type Administration = Omit<GatewayState, 'ledger' | 'refusedAttempts'>;

/** Opens the state for commands. Closing it also closes the store. */
export const openAdministration = (
  store: Store,
  { clock, masterKey }: Pick<GatewayStateOptions, 'clock' | 'masterKey'>,
): Administration => administer(store, followRevision(store, clock), { clock, masterKey });

function administer(
  store: Store,
  revision: FollowedRevision,
  options: Omit<GatewayStateOptions, 'onError'> & Partial<Pick<GatewayStateOptions, 'onError'>>,
): Administration {
  const { clock } = options;
  const identity = createIdentity(store, { ...options, revision });
  const guardrailHits = createGuardrailHits(store, options.onError);
  const trends = createUsageTrends(store);
  return {
    identity,
    budgets: createBudgets(store, revision, clock),
    prices: createPrices(store, revision, clock),
    priceMaps: createPriceMaps(store, revision, clock),
    usage: createUsageReports(store),
    trends,
    forecasts: createBudgetForecasts({ store, identity, trends, clock }),
    pruneLimits: createLimitPruner({ store, revision, identity }),
    requests: createRequestList(store),
    guardrailHits,
    alerts: createOutbox(store),
    cacheClears: createCacheClears(store, revision, clock),
    auditLog: createAuditLog(store),
    promptLog: createPromptLog(store, clock.now),
    feedback: createFeedbackLog(store, clock.now),
    shadowRecords: createShadowRecords(store, clock),
    audit: store.audit,
    objects: createObjects(store, clock),
    objectMasks: createObjectMasks(store.db, options.masterKey),
    signInCodes: createRedeemedCodes(store, clock),
    modelEntries: createModelEntries(store, revision, options),
    noticeRevision: revision.noticed,
    close: async () => {
      await guardrailHits.close();
      await identity.close();
      await store.close();
    },
  };
}
