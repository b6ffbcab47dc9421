import type { Calendar } from '#core/time/calendar.ts';
import type { AppError } from '#contract/errors.ts';
import type { Nanos } from '../../shared/money.ts';
import type { Order } from '../../shared/order.ts';
import { USAGE_STATUSES, type UsageStatus } from '../../shared/record-words.ts';
import type { TokenPrice, UnitCounts } from '../../shared/price.ts';
import type { ListPage } from '../../store/page.ts';
import type { InFlightNote } from '../../store/store.ts';
import type { BudgetChanges, BudgetValues } from '../fields/budgets.ts';
import type { Spender } from '../identity/identity.ts';
import type { WaitingRequests } from './waiting/queue-settings.ts';

/** A request's estimated maximum cost, before it is sent. */
export interface Estimate {
  readonly cost: Nanos;
  readonly tokens: number;
  /** Whether all targets are free, in which case budgets do not apply. */
  readonly free: boolean;
  /** A target without a price. Budgets cannot limit it, so requests under a budget are rejected. */
  readonly unpriced?: string | undefined;
  /**
   * The models that can respond, `provider:model`. Limits for other models do not apply. Default: all limits
   * apply.
   */
  readonly models?: readonly string[] | undefined;
}

/** Budget reserved for an admitted request. Each reservation is settled or released exactly once. */
export interface Reservation extends Admission {
  readonly id: string;
  readonly spender: Spender;
  readonly amount: Nanos;
  readonly tokens: number;
  readonly createdAt: number;
  /** State of the requests-per-minute limit, for response headers; undefined without such a limit. */
  readonly rate: RateState | undefined;
  /** How long the request has waited in a queue, in milliseconds; undefined if it has not waited. */
  readonly queuedMs?: number | undefined;
}

/** The part of a reservation that identifies it. */
export type OpenReservation = Pick<Reservation, 'id' | 'spender'>;

/** An admitted free provider call, e.g. a token count. */
export interface FreeCall extends Admission {
  /** State of the per-minute limit on such calls, for response headers; undefined without a limit. */
  readonly rate: RateState | undefined;
  /** Must be called when the call has ended. Repeated calls have no effect. */
  readonly end: () => void;
}

export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** When the whole limit is available again. */
  readonly resetAt: number;
}

/** An amount that stays reserved until its work is paid for, even if the process ends. */
export interface HeldAmount {
  readonly id: string;
  readonly userId: string;
  readonly keyId: string | null;
  /** Tags for its usage. */
  readonly tags?: readonly string[] | undefined;
}

/** Usage of one request attempt. */
export interface UsageEntry {
  readonly model: string;
  readonly provider: string | null;
  /** Route path. */
  readonly endpoint: string;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Prompt tokens read from the provider's cache. */
  readonly cachedTokens?: number | null | undefined;
  /** Prompt tokens written to the provider's cache. */
  readonly cacheWriteTokens?: number | null | undefined;
  /** The part of `cacheWriteTokens` that is cached for 1 hour. */
  readonly cacheWrite1hTokens?: number | null | undefined;
  /** What the request used besides text tokens. */
  readonly units?: UnitCounts | undefined;
  /** Null for a model without a price. */
  readonly cost: Nanos | null;
  /** What the provider's cache saved. */
  readonly cacheSaved?: Nanos | null | undefined;
  /** The name of the provider's key that was used, at a provider that has several. */
  readonly providerKey?: string | null | undefined;
  /** Where the price comes from. */
  readonly pricedBy?: string | null | undefined;
  readonly status: UsageStatus;
  readonly errorMessage?: string | null | undefined;
  /** Details of a provider failure, for administrators only. */
  readonly errorDetail?: string | null | undefined;
  readonly statusCode?: number | null | undefined;
  readonly latencyMs?: number | null | undefined;
  /** Milliseconds until a stream's first token. */
  readonly ttftMs?: number | null | undefined;
  /** Whether the token counts are estimates because the provider did not report them. */
  readonly estimated?: boolean | undefined;
  readonly requestId?: string | null | undefined;
  /** The client's own user ID in the request. */
  readonly endUser?: string | null | undefined;
  /** Set for cached responses. Their tokens do not count towards limits. */
  readonly cacheHit?: 'exact' | 'semantic' | undefined;
  /** Attempt number, starting at 1. Default: its position in the list of entries. */
  readonly attempt?: number | undefined;
}

/** Allows a request to wait in a queue. */
export interface QueueWait {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Maximum time; the spender's by default. */
  readonly maxMs?: number | undefined;
}

export interface Ledger {
  /**
   * Admits a request and reserves its estimated cost. Throws an OverloadedError if a rate limit is exceeded
   * or the rest of a budget is reserved, a ForbiddenError if a budget is exceeded, a PaymentRequiredError for
   * a model without a price under a budget, and authentication errors if the key or user has changed since.
   * If this process is killed, the request is billed with `usageSoFar`, and the rest of its reservation is
   * released. With `wait`, a request whose spender has a queue waits instead of an OverloadedError.
   */
  reserve(
    spender: Spender,
    estimate: Estimate,
    usageSoFar?: () => UsageEntry | undefined,
    wait?: QueueWait,
  ): Promise<Reservation>;
  /** The requests that wait for limits in this process; none in a serving thread. */
  waiting(): readonly WaitingRequests[];
  /** Rejects the requests that wait, and does not let others wait. */
  stopWaiting(error: AppError): void;
  /**
   * Writes usage and cost, which are durable when this resolves. The last entry is the request itself; the
   * entries before it are failed attempts. If the database is unavailable, this throws an UnavailableError,
   * and the entries are written later.
   */
  settle(reservation: OpenReservation, ...entries: readonly UsageEntry[]): Promise<void>;
  /** Writes usage without a reservation, while its request's reservation stays open. */
  bill(spender: Spender, ...entries: readonly UsageEntry[]): Promise<void>;
  /** Releases the reservation of a request without a model response, and writes its failed attempts. */
  release(reservation: OpenReservation, ...failures: readonly UsageEntry[]): Promise<void>;
  /**
   * Admits a free provider call, e.g. a token count. Throws an OverloadedError if such calls exceed their own
   * per-minute limit, which is derived from the requests per minute, or their own limit on concurrent
   * requests.
   */
  admitFree(spender: Spender): Promise<FreeCall>;
  /** Turns a reservation into one that outlives this process and does not count as a running request. */
  keep(reservation: OpenReservation): Promise<HeldAmount>;
  /**
   * Writes usage and cost (nothing if there are no entries) and releases the amount. Repeated calls have no
   * further effect.
   */
  settleHeld(held: HeldAmount, ...entries: readonly UsageEntry[]): Promise<void>;
  /**
   * Renews this process's lease. Rejects if the database cannot be written, or if earlier entries are still
   * unwritten.
   */
  heartbeat(): Promise<void>;
  /** Stores what requests in flight have used so far, for requests that another thread handles. */
  note(notes: readonly InFlightNote[]): Promise<void>;
  /** A spender's used and remaining limits. */
  quota(spender: Spender): Promise<Quota>;
  /** Writes outstanding entries, then stops. */
  close(): Promise<void>;
}

export interface Quota {
  readonly user: AccountState;
  readonly key: AccountState | undefined;
  /** The state of other accounts, e.g. the team's. */
  readonly shared: readonly { readonly account: string; readonly state: AccountState }[];
  /** The state of the further limits of all budgets. */
  readonly limits: readonly LimitState[];
}

interface LimitState {
  /** The account whose budget has the limit, and the limit as text. */
  readonly name: string;
  /** Null for a limit for all models. */
  readonly models: readonly string[] | null;
  readonly state: AccountState;
}

export interface AccountState {
  readonly spent: Nanos;
  readonly reserved: Nanos;
  readonly maxBudget: Nanos | null;
  /** Remaining budget, at least 0. */
  readonly remaining: Nanos | null;
  readonly budgetStartedAt: number | null;
  readonly nextBudgetResetAt: number | null;
  readonly requests: Allowance;
  readonly tokens: Allowance;
  readonly parallel: Allowance;
}

/** Usage of a limit: in the last minute or, for concurrent requests, right now. */
export interface Allowance {
  readonly used: number;
  readonly limit: number | null;
  readonly remaining: number | null;
}

/** A budget. Its calendar, with the time zone, replaces a duration. */
export interface Budget extends Omit<BudgetValues, 'calendar' | 'timeZone'> {
  readonly calendar: Calendar | null;
}

export interface BudgetReset {
  readonly id: string;
  readonly userId: string;
  readonly previousSpend: Nanos;
  readonly resetAt: number;
  readonly nextResetAt: number | null;
}

export const BUDGET_ORDERS = ['created_at', 'name', 'max_budget'] as const;

/** Budget filters. The default order is that of creation. */
interface BudgetQuery {
  /** Substring of the name or ID, case-insensitive. */
  readonly search?: string | undefined;
  readonly order?: Order<(typeof BUDGET_ORDERS)[number]> | undefined;
}

export interface Budgets {
  create(budget: BudgetChanges): Promise<Budget>;
  list(page: ListPage, query?: BudgetQuery): Promise<readonly Budget[]>;
  get(budgetId: string): Promise<Budget>;
  change(budgetId: string, changes: BudgetChanges): Promise<Budget>;
  /** Throws a ConflictError if the budget is assigned, because its holders would have no limit without it. */
  delete(budgetId: string): Promise<void>;
  /** Budget resets of all users or of one user, newest first. */
  resets(page: ListPage, userId?: string): Promise<readonly BudgetReset[]>;
}

/** Prices per million tokens, valid from a point in time. */
export interface Price extends TokenPrice {
  /** Model string, `provider:model`. */
  readonly modelKey: string;
  readonly effectiveAt: number;
}

export interface NewPrice extends TokenPrice {
  readonly modelKey: string;
  /** Time from which the price is valid. Default: now. */
  readonly effectiveAt?: number | undefined;
}

/** Times in milliseconds since 1970; the first is inclusive. */
interface PricePeriod {
  readonly from: number;
  readonly until: number;
}

export interface Prices {
  set(price: NewPrice): Promise<Price>;
  /** Sets all prices or, if one is invalid, none. */
  setAll(prices: readonly NewPrice[]): Promise<void>;
  /** Adds prices for models that have none. Prices that are already set take precedence over configured ones. */
  seed(prices: readonly NewPrice[]): Promise<void>;
  /** Current prices, sorted by model. */
  list(page: ListPage): Promise<readonly Price[]>;
  get(modelKey: string): Promise<Price>;
  /** All of a model's prices, newest first, including future ones. */
  history(modelKey: string): Promise<readonly Price[]>;
  delete(modelKey: string): Promise<void>;
  /**
   * A model's price at a time, from a cache. Like the next two functions, only returns a promise if the
   * database must be queried.
   */
  at(modelKey: string, time: number): TokenPrice | undefined | Promise<TokenPrice | undefined>;
  /** The database revision whose prices apply. Within a revision, prices only change with time. */
  revision(): number | Promise<number>;
  /** The period during which a model's price at a time applies. */
  period(modelKey: string, time: number): PricePeriod | Promise<PricePeriod>;
}

declare const admission: unique symbol;

/**
 * Proof that a user's limits were applied to a provider call. The policy requires it, so that a call without
 * limits does not compile. Only the ledger creates it, as well as `NO_LIMITS`.
 */
export interface Admission {
  readonly [admission]: true;
}

/**
 * For calls that the gateway makes on its own behalf, e.g. to bill a batch, and for calls with the master
 * key, which has no limits.
 */
export const NO_LIMITS: Admission = {} as Admission;

/** Filter values for outcomes. */
export const STATUS_FILTERS = ['any', ...USAGE_STATUSES] as const;
