import type { Nanos } from '../../shared/money.ts';
import type { TokenPrice } from '../../shared/token-price.ts';
import type { Spender } from '../identity/identity.ts';
import type { Page } from '../../store/page.ts';

/** What a request may cost, before anybody knows what it does. */
export interface Estimate {
  readonly cost: Nanos;
  readonly tokens: number;
  /** Of a model that costs nothing: no budget stands in its way. */
  readonly free: boolean;
  /** A model without a price: a budget cannot limit it, so it refuses the request. */
  readonly unpriced?: string | undefined;
}

/** Money held for a request that was let in. Each is settled or released, once. */
export interface Reservation {
  readonly id: string;
  readonly spender: Spender;
  readonly amount: Nanos;
  readonly tokens: number;
  readonly createdAt: number;
  /** Where the number of requests is limited: for the headers that tell. */
  readonly rate: RateState | undefined;
}

export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** When all of them are there again. */
  readonly resetAt: number;
}

/** What a request did. */
export interface UsageEntry {
  readonly model: string;
  readonly provider: string | null;
  /** The path of the route. */
  readonly endpoint: string;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** How many of the prompt's were in the provider's cache. */
  readonly cachedTokens?: number | null | undefined;
  /** How many of the prompt's were written to the provider's cache. */
  readonly cacheWriteTokens?: number | null | undefined;
  /** How many of those for 1 hour. */
  readonly cacheWrite1hTokens?: number | null | undefined;
  /** Null for a model without a price. */
  readonly cost: Nanos | null;
  readonly status: 'success' | 'error';
  readonly errorMessage?: string | null | undefined;
  /** Why a provider failed: for administrators only. */
  readonly errorDetail?: string | null | undefined;
  readonly statusCode?: number | null | undefined;
  readonly latencyMs?: number | null | undefined;
  /** To the first token. */
  readonly ttftMs?: number | null | undefined;
  /** The provider did not tell the tokens. */
  readonly estimated?: boolean | undefined;
  readonly requestId?: string | null | undefined;
  /** Number of the attempt from 1; by default its place among the entries. */
  readonly attempt?: number | undefined;
}

export interface Ledger {
  /**
   * Lets a request in and holds what it may cost. Throws an OverloadedError over a rate limit or while the rest of a budget is
   * reserved, a ForbiddenError over a budget, a PaymentRequiredError for a model without a price under a budget, and what
   * authentication throws if the key or user was changed since.
   */
  reserve(spender: Spender, estimate: Estimate): Promise<Reservation>;
  /**
   * Writes down what the request did and what it cost; durable when it resolves. The last entry is the request's own, those
   * before it are attempts that failed. If the database cannot be used now, it throws an UnavailableError, and writes it later.
   */
  settle(reservation: Reservation, ...entries: readonly UsageEntry[]): Promise<void>;
  /** Writes usage for which nothing is held, while the request's reservation stays open. */
  bill(spender: Spender, ...entries: readonly UsageEntry[]): Promise<void>;
  /** Gives back what was held for a request that came to nothing, and writes down the attempts, if there were any. */
  release(reservation: Reservation, ...failures: readonly UsageEntry[]): Promise<void>;
  /** Writes down that this process lives; rejects while nothing can be written, or while something is still owed. */
  sign(): Promise<void>;
  /** What is used and left, for whoever asks about themselves. */
  quota(spender: Spender): Promise<Quota>;
  /** Writes what is still to be written, and stops. */
  close(): Promise<void>;
}

export interface Quota {
  readonly user: AccountState;
  readonly key: AccountState | undefined;
}

export interface AccountState {
  readonly spent: Nanos;
  readonly reserved: Nanos;
  readonly maxBudget: Nanos | null;
  /** Never below zero. */
  readonly remaining: Nanos | null;
  readonly budgetStartedAt: number | null;
  readonly nextBudgetResetAt: number | null;
  readonly requests: Allowance;
  readonly tokens: Allowance;
  readonly parallel: Allowance;
}

/** In the last minute, or, of parallel requests, now. */
export interface Allowance {
  readonly used: number;
  readonly limit: number | null;
  readonly remaining: number | null;
}

export interface Budget {
  readonly budgetId: string;
  readonly name: string | null;
  readonly maxBudget: Nanos | null;
  readonly budgetDurationSec: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Undefined leaves as it is, null clears. */
export interface BudgetChanges {
  readonly name?: string | null | undefined;
  readonly maxBudget?: Nanos | null | undefined;
  readonly budgetDurationSec?: number | null | undefined;
}

export interface BudgetReset {
  readonly id: string;
  readonly userId: string;
  readonly previousSpend: Nanos;
  readonly resetAt: number;
  readonly nextResetAt: number | null;
}

export interface Budgets {
  create(budget: BudgetChanges): Promise<Budget>;
  list(page: Page): Promise<readonly Budget[]>;
  get(budgetId: string): Promise<Budget>;
  change(budgetId: string, changes: BudgetChanges): Promise<Budget>;
  /** Throws a ConflictError if users have it: without it they could spend anything. */
  delete(budgetId: string): Promise<void>;
  /** Newest first; of all users, or of one. */
  resets(page: Page, userId?: string): Promise<readonly BudgetReset[]>;
}

/** A price per million tokens, from a time on. */
export interface Price extends TokenPrice {
  /** `provider:model`. */
  readonly modelKey: string;
  readonly effectiveAt: number;
}

export interface NewPrice extends TokenPrice {
  readonly modelKey: string;
  /** Now, unless said otherwise. */
  readonly effectiveAt?: number | undefined;
}

export interface Prices {
  set(price: NewPrice): Promise<Price>;
  /** All of them, or none. */
  setAll(prices: readonly NewPrice[]): Promise<void>;
  /** Adds those of models that have none; what was set before counts more than a configuration file. */
  seed(prices: readonly NewPrice[]): Promise<void>;
  /** Those that hold now, by name. */
  list(page: Page): Promise<readonly Price[]>;
  get(modelKey: string): Promise<Price>;
  /** All of a model's, newest first, future ones too. */
  history(modelKey: string): Promise<readonly Price[]>;
  delete(modelKey: string): Promise<void>;
  /** For requests: from memory. */
  at(modelKey: string, time: number): Promise<TokenPrice | undefined>;
}
