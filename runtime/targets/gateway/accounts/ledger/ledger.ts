import type { Calendar } from '#core/time/calendar.ts';
import type { Nanos } from '../../shared/money.ts';
import type { Order } from '../../shared/order.ts';
import { USAGE_STATUSES, type UsageStatus } from '../../shared/record-words.ts';
import type { TokenPrice, UnitCounts } from '../../shared/price.ts';
import type { ListPage } from '../../store/page.ts';
import type { BudgetChanges, BudgetValues } from '../fields/budgets.ts';
import type { Spender } from '../identity/identity.ts';

/** The estimated maximum cost of a request, before it is sent. */
export interface Estimate {
  readonly cost: Nanos;
  readonly tokens: number;
  /** Whether all targets are free: then budgets do not apply. */
  readonly free: boolean;
  /** A target without a price. Budgets cannot limit it, so requests under a budget are rejected. */
  readonly unpriced?: string | undefined;
}

/** Budget that is reserved for an admitted request. Each reservation is settled or released exactly once. */
export interface Reservation extends Admission {
  readonly id: string;
  readonly spender: Spender;
  readonly amount: Nanos;
  readonly tokens: number;
  readonly createdAt: number;
  /** State of the limit on requests per minute, for response headers; undefined without such a limit. */
  readonly rate: RateState | undefined;
}

/** An admitted call of a provider that costs nothing, e.g. a count of tokens. */
export interface FreeCall extends Admission {
  /** State of the limit per minute of such calls, for response headers; undefined without a limit. */
  readonly rate: RateState | undefined;
  /** Must be called when the call has ended. Repeated calls have no effect. */
  readonly end: () => void;
}

export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Time at which the whole limit is available again. */
  readonly resetAt: number;
}

/** An amount that is reserved until its work is paid for, whatever becomes of the process. */
export interface HeldAmount {
  readonly id: string;
  readonly userId: string;
  readonly keyId: string | null;
  /** Tags of its usage. */
  readonly tags?: readonly string[] | undefined;
}

/** Usage of one attempt of a request. */
export interface UsageEntry {
  readonly model: string;
  readonly provider: string | null;
  /** Path of the route. */
  readonly endpoint: string;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Prompt tokens that were read from the provider's cache. */
  readonly cachedTokens?: number | null | undefined;
  /** Prompt tokens that were written to the provider's cache. */
  readonly cacheWriteTokens?: number | null | undefined;
  /** The part of `cacheWriteTokens` that is kept for 1 hour. */
  readonly cacheWrite1hTokens?: number | null | undefined;
  /** What the request used besides tokens of text. */
  readonly units?: UnitCounts | undefined;
  /** Null for a model without a price. */
  readonly cost: Nanos | null;
  /** What the price was taken from. */
  readonly pricedBy?: string | null | undefined;
  readonly status: UsageStatus;
  readonly errorMessage?: string | null | undefined;
  /** Details of a provider's failure, for administrators only. */
  readonly errorDetail?: string | null | undefined;
  readonly statusCode?: number | null | undefined;
  readonly latencyMs?: number | null | undefined;
  /** Milliseconds to the first token of a stream. */
  readonly ttftMs?: number | null | undefined;
  /** Whether the token counts are estimates, because the provider did not report them. */
  readonly estimated?: boolean | undefined;
  readonly requestId?: string | null | undefined;
  /** The client's own user that the request names. */
  readonly endUser?: string | null | undefined;
  /** Set if the answer is from the cache. Its tokens then do not count towards limits. */
  readonly cacheHit?: 'exact' | 'semantic' | undefined;
  /** Number of the attempt, from 1. Default: its position in the list of entries. */
  readonly attempt?: number | undefined;
}

export interface Ledger {
  /**
   * Admits a request and reserves its estimated cost. Throws an OverloadedError above a rate limit or while the rest of a budget is
   * reserved, a ForbiddenError above a budget, a PaymentRequiredError for a model without a price under a budget, and the errors of
   * authentication if the key or user was changed since. If this process is killed, the request is billed with `usageSoFar`, and the
   * rest of its reservation is released.
   */
  reserve(
    spender: Spender,
    estimate: Estimate,
    usageSoFar?: () => UsageEntry | undefined,
  ): Promise<Reservation>;
  /**
   * Writes usage and cost, which are durable when this resolves. The last entry is the request itself; those before it are failed
   * attempts. If the database is unavailable, this throws an UnavailableError, and the entries are written later.
   */
  settle(reservation: Reservation, ...entries: readonly UsageEntry[]): Promise<void>;
  /** Writes usage without a reservation, while the reservation of its request stays open. */
  bill(spender: Spender, ...entries: readonly UsageEntry[]): Promise<void>;
  /** Releases the reservation of a request that no model answered, and writes its failed attempts. */
  release(reservation: Reservation, ...failures: readonly UsageEntry[]): Promise<void>;
  /**
   * Admits a call of a provider that costs nothing, e.g. a count of tokens. Throws an OverloadedError above the limit of such calls, which
   * follows from the requests per minute, and above that of parallel requests, which such calls have for themselves.
   */
  admitFree(spender: Spender): Promise<FreeCall>;
  /** Turns a reservation into one that outlives this process, and that is not a running request. */
  keep(reservation: Reservation): Promise<HeldAmount>;
  /** Writes usage and cost, or without entries nothing, and releases the amount. Repeated calls have no further effect. */
  settleHeld(held: HeldAmount, ...entries: readonly UsageEntry[]): Promise<void>;
  /** Renews the lease of this process. Rejects if the database cannot be written, or if earlier entries are still unwritten. */
  heartbeat(): Promise<void>;
  /** Used and remaining limits of a spender. */
  quota(spender: Spender): Promise<Quota>;
  /** Writes outstanding entries, and stops. */
  close(): Promise<void>;
}

export interface Quota {
  readonly user: AccountState;
  readonly key: AccountState | undefined;
  /** The state of the other accounts, e.g. of the team. */
  readonly shared: readonly { readonly account: string; readonly state: AccountState }[];
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

/** Use of a limit: in the last minute or, for parallel requests, at the moment. */
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

/** Selects budgets. Without an order, they have that of their creation. */
interface BudgetQuery {
  /** A part of the name or the id, in any case. */
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
  /** Budget resets of all users or of one, newest first. */
  resets(page: ListPage, userId?: string): Promise<readonly BudgetReset[]>;
}

/** Prices per million tokens that are valid from a point in time. */
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

/** Times in milliseconds since 1970; the first is included. */
interface PricePeriod {
  readonly from: number;
  readonly until: number;
}

export interface Prices {
  set(price: NewPrice): Promise<Price>;
  /** Sets all prices or, if one is invalid, none. */
  setAll(prices: readonly NewPrice[]): Promise<void>;
  /** Adds prices for models that have none. Prices that are already set take precedence over those of the configuration. */
  seed(prices: readonly NewPrice[]): Promise<void>;
  /** Current prices, sorted by model. */
  list(page: ListPage): Promise<readonly Price[]>;
  get(modelKey: string): Promise<Price>;
  /** All prices of a model, newest first, including future ones. */
  history(modelKey: string): Promise<readonly Price[]>;
  delete(modelKey: string): Promise<void>;
  /** The price of a model at a time, from a cache. It is a promise only if the database must be queried, like the two below. */
  at(modelKey: string, time: number): TokenPrice | undefined | Promise<TokenPrice | undefined>;
  /** The revision of the database whose prices apply. While it is the same, prices change with time only. */
  revision(): number | Promise<number>;
  /** From when until when the price of a model at a time applies. */
  period(modelKey: string, time: number): PricePeriod | Promise<PricePeriod>;
}

declare const admission: unique symbol;

/**
 * Proof that the limits of a user hold for a call of a provider. The policy demands it, so that a call without limits does not compile. Only
 * the ledger creates it, and `NO_LIMITS`.
 */
export interface Admission {
  readonly [admission]: true;
}

/** For calls that the gateway makes on its own, e.g. for the bill of a batch, and for those with the master key, which has no limits. */
export const NO_LIMITS: Admission = {} as Admission;

/** Values of filters by outcome. */
export const STATUS_FILTERS = ['any', ...USAGE_STATUSES] as const;
