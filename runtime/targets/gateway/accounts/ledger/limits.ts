import { AppError } from '#contract/errors.ts';
import type { Limits, Spender } from '../identity/identity.ts';
import type { AccountRow, BudgetResetRow } from '../../store/schema.ts';
import type { Admission, RateState, Estimate } from './ledger.ts';
import { dollarText } from '../../shared/money.ts';
import { randomUUIDv7 } from 'node:crypto';
import { nextStart } from '#core/time/calendar.ts';
import { keyAccount, userAccount } from '../../store/account-ids.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { limitAccountsOf } from '../identity/limit-accounts.ts';
import { keyLabel, userLabel } from '../identity/account-labels.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** An account with its limits. */
export interface LimitedAccount {
  readonly account: AccountRow;
  readonly limits: Limits;
  /** Name for error messages, for example `User 'x'`. */
  readonly label: () => string;
  /** Whether it is the account of a further limit. */
  readonly isFurther?: boolean | undefined;
}

/** Marks what the ledger has admitted. */
export const admitted = <Value extends object>(value: Value): Value & Admission => value as Value & Admission;

/** Rejects a request that exceeds a rate limit; undefined if it is within all limits. */
export function rateRefusal(
  { account, limits }: LimitedAccount,
  tokens: number,
  now: number,
): AppError | undefined {
  const { rpm, tpm } = limits;
  const parallel = parallelRefusal(account.running, limits);
  if (parallel) return parallel;
  if (rpm === null && tpm === null) return undefined;
  const minute = minuteOf(account, now);
  if (rpm !== null && totalOf(minute.requests) >= rpm) {
    const wait = waitUntilAtMost(minute.requests, minute.slot, rpm - 1, now);
    return rateExceeded('Rate limit exceeded', wait);
  }
  const used = totalOf(minute.tokens);
  // A request larger than the whole limit is admitted when the minute is empty; otherwise, it could never
  // run.
  if (tpm !== null && used > 0 && used + tokens > tpm) {
    const wait = waitUntilAtMost(minute.tokens, minute.slot, Math.max(0, tpm - tokens), now);
    return rateExceeded('Token rate limit exceeded', wait);
  }
  return undefined;
}

export function rateStateOf(
  { account, limits: { rpm } }: LimitedAccount,
  now: number,
): RateState | undefined {
  if (rpm === null) return undefined;
  const { requests, slot } = minuteOf(account, now);
  const remaining = Math.max(0, rpm - totalOf(requests));
  return { limit: rpm, remaining, resetAt: now + waitUntilAtMost(requests, slot, 0, now) };
}

export const rateExceeded = (message: string, milliseconds: number): AppError =>
  new AppError('OverloadedError', message, {
    reason: 'rate_limited',
    retryAfterSeconds: Math.ceil(milliseconds / 1000),
  });

export const parallelRefusal = (running: number, { maxParallel }: Limits): AppError | undefined =>
  maxParallel !== null && running >= maxParallel
    ? rateExceeded('Too many parallel requests', 1000)
    : undefined;

/** The limit with the least remaining. */
export function narrowest(states: readonly (RateState | undefined)[]): RateState | undefined {
  return states
    .filter((state) => state !== undefined)
    .sort((one, other) => one.remaining - other.remaining)[0];
}

/**
 * `Retry-After` value. Requests in flight take seconds, so clients that wait this long succeed within a few
 * retries.
 */
const RETRY_AFTER_SECONDS = 5;

/**
 * Rejects a request that this budget cannot cover even later: it has no price, the budget is spent, or the
 * request alone exceeds the remainder.
 */
export function budgetRefusal(
  limited: LimitedAccount,
  { cost, free, unpriced }: Estimate,
  now: number,
): AppError | undefined {
  const { account, limits, label } = limited;
  const { maxBudget } = limits;
  if (maxBudget === null) return undefined;
  if (unpriced !== undefined) return cannotLimit(unpriced, label());
  if (free) return undefined;
  const left = maxBudget - account.spent_nano;
  if (left <= 0n)
    return exceeded(limited, {
      message: `${label()} has exceeded budget limit`,
      reason: 'budget_exceeded',
      now,
    });
  if (cost <= left) return undefined;
  return exceeded(limited, {
    message: tooLarge(label(), cost, left, maxBudget),
    reason: 'estimate_exceeds_budget',
    now,
  });
}

/** Rejects a request that the budget can only cover after requests in flight have finished. */
export function reservedRefusal(
  { account, limits: { maxBudget }, label }: LimitedAccount,
  { cost, free }: Estimate,
): AppError | undefined {
  if (maxBudget === null || free) return undefined;
  const { spent_nano: spent, reserved_nano: reserved } = account;
  const left = maxBudget - spent - reserved;
  if (cost <= left) return undefined;
  return new AppError(
    'OverloadedError',
    `${label()} has ${dollars(left < 0n ? 0n : left)} of the budget left while ${dollars(reserved)} is reserved for requests in flight, and this request can cost up to ${dollars(cost)}. Retry when those requests have finished.`,
    { reason: 'budget_reserved', retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function tooLarge(who: string, cost: bigint, left: bigint, maxBudget: bigint): string {
  const has = cost > maxBudget ? `a budget of ${dollars(maxBudget)}` : `${dollars(left)} of the budget left`;
  return `${who} has ${has}, and this request can cost up to ${dollars(cost)}. Lower its maximum output tokens, or raise the budget.`;
}

/** For a further limit, the error also states when its window ends. */
function exceeded(
  { account: { window_ends_at: endsAt }, isFurther }: LimitedAccount,
  { message, reason, now }: { readonly message: string; readonly reason: string; readonly now: number },
): AppError {
  if (!isFurther) return new AppError('ForbiddenError', message, { reason });
  const reset = endsAt === null ? 'This limit does not reset.' : `This limit resets at ${rfc3339(endsAt)}.`;
  return new AppError('ForbiddenError', `${message.replace(/\.$/, '')}. ${reset}`, {
    reason,
    retryAfterSeconds: endsAt === null ? undefined : Math.ceil((endsAt - now) / 1000),
  });
}

const cannotLimit = (model: string, who: string): AppError =>
  new AppError(
    'PaymentRequiredError',
    `Model '${model}' has no price, and ${who} has a budget. Set its price with POST /v1/pricing, or set \`allow_unpriced\` in the configuration.`,
    { reason: 'pricing_required' },
  );

const dollars = (amount: bigint): string => `$${dollarText(amount)}`;

/** Maximum clock difference between gateways that share a database. */
const MAX_CLOCK_DIFFERENCE_MS = 300_000;

/**
 * Updates an account's budget window. The first request after the end of a window resets it and starts the
 * next one.
 */
export function rollWindow(
  account: AccountRow,
  { budgetDurationSec: seconds, budgetCalendar: calendar }: Limits,
  now: number,
): { readonly account: AccountRow; readonly reset: BudgetResetRow | undefined } {
  const { window_started_at: startedAt, window_ends_at: endsAt } = account;
  if (seconds === null && !calendar) {
    return { account: endsAt === null ? account : { ...account, window_ends_at: null }, reset: undefined };
  }
  const next = calendar ? nextStart(calendar, now) : now + (seconds ?? 0) * 1000;
  if (endsAt !== null && startedAt !== null && startedAt > now + MAX_CLOCK_DIFFERENCE_MS) {
    // A clock that was ahead started the window. Its spending counts in the current window.
    const window = { window_started_at: now, window_ends_at: next };
    return { account: { ...account, ...window }, reset: undefined };
  }
  if (endsAt !== null && now < endsAt) return { account, reset: undefined };
  if (endsAt === null) {
    const window = { window_started_at: startedAt ?? now, window_ends_at: next };
    return { account: { ...account, ...window }, reset: undefined };
  }
  return {
    account: { ...account, spent_nano: 0n, window_started_at: now, window_ends_at: next },
    reset: {
      id: randomUUIDv7(),
      account_id: account.id,
      spent_nano: account.spent_nano,
      reset_at: now,
      next_reset_at: next,
    },
  };
}

/** An account that a request is reserved against and charged to. */
export interface HeldAccount {
  readonly id: string;
  readonly limits: Limits;
  /** The account's name in errors and alerts. */
  readonly label: () => string;
  /** Whether it is the account of a further limit. */
  readonly isFurther?: boolean | undefined;
  /** Patterns of the models whose cost is charged; undefined for all. */
  readonly models?: readonly string[] | undefined;
}

/** An account with those of the further limits of its budget. */
function withLimits(held: HeldAccount): readonly HeldAccount[] {
  const { id, limits, label } = held;
  if (!limits.budgetLimits) return [held];
  const further = limitAccountsOf({ account: id, limits, label: label() });
  return [
    held,
    ...further.map(({ account, label: name, ...one }) => ({ ...one, id: account, label: () => name })),
  ];
}

/** Whether a limit applies to a request that any of these models can respond to. */
export const appliesTo = (
  { models: patterns }: Pick<HeldAccount, 'models'>,
  models: readonly string[] | undefined,
): boolean =>
  patterns === undefined || models === undefined || models.some((model) => matchesAny(patterns, model));

/**
 * All of a request's accounts, in the order in which their limits are checked: the key's, the user's, then
 * the others. Each is followed by the accounts of the further limits of its budget.
 */
export function heldAccounts({ user, key, shared }: Spender): HeldAccount[] {
  const ofUser = {
    id: userAccount(user.userId),
    limits: user.limits,
    label: () => userLabel(user),
  };
  const ofOthers = shared.map(({ account: id, limits, label }) => ({ id, limits, label: () => label }));
  if (!key) return [ofUser, ...ofOthers].flatMap(withLimits);
  const ofKey = {
    id: keyAccount(key.id),
    limits: key.limits,
    label: () => keyLabel(key),
  };
  return [ofKey, ofUser, ...ofOthers].flatMap(withLimits);
}

/** An account's usage in the last minute. */
export function minuteOf({ minute }: Pick<AccountRow, 'minute'>, now: number): SlidingMinute {
  return minute === null ? emptyMinute(now) : minuteAt(parseMinute(minute), now);
}

/** Parses what `addUse` returned. Every request does this, so its members are not validated again. */
const parseMinute = (text: string): SlidingMinute => parseJsonText(text) as SlidingMinute;

/** Counts an admitted request; only for accounts with a per-minute limit, because counting has a cost. */
export function countInMinute(
  account: AccountRow,
  { rpm, tpm }: Limits,
  tokens: number,
  now: number,
): AccountRow {
  if (rpm === null && tpm === null) return account.minute === null ? account : { ...account, minute: null };
  return { ...account, minute: JSON.stringify(addUse(minuteOf(account, now), now, 1, tokens)) };
}

/** Replaces a request's estimated tokens with the actual ones. */
export function correctTokens(account: AccountRow, at: number, difference: number): AccountRow {
  if (account.minute === null || difference === 0) return account;
  const minute = parseMinute(account.minute);
  return { ...account, minute: JSON.stringify(addUse(minute, at, 0, difference)) };
}

/** Free calls in the last minute, newest slot first. */
export function freeCallsOf(
  account: Pick<AccountRow, 'minute'>,
  now: number,
): { readonly calls: readonly number[]; readonly slot: number } {
  const minute = minuteOf(account, now);
  return { calls: callsIn(minute), slot: minute.slot };
}

export const countFreeCall = (account: AccountRow, now: number): AccountRow => ({
  ...account,
  minute: JSON.stringify(addCall(minuteOf(account, now))),
});

/**
 * Usage in the last minute, in slots of five seconds. There is one slot more than a minute needs, so that no
 * 60-second period exceeds the limit. Its size is constant.
 */
export interface SlidingMinute {
  /** Number of the newest slot, counted from 1970. */
  readonly slot: number;
  /** Usage per slot, newest first. */
  readonly requests: readonly number[];
  readonly tokens: readonly number[];
  /** Free calls; undefined before the first one. */
  readonly calls?: readonly number[] | undefined;
}

const SLOT_MS = 5000;

const SLOTS = 13;

/** @internal Exported for tests only. */
export const emptyMinute = (now: number): SlidingMinute => ({
  slot: slotOf(now),
  requests: emptySlots(),
  tokens: emptySlots(),
});

/** The same usage, shifted to the current time. @internal Exported for tests only. */
export function minuteAt(minute: SlidingMinute, now: number): SlidingMinute {
  const passed = slotOf(now) - minute.slot;
  // The clocks of several machines differ slightly; one that is far ahead must not block the others.
  if (passed <= 0 && passed > -SLOTS) return minute;
  if (passed <= -SLOTS || passed >= SLOTS) return emptyMinute(now);
  const move = (slots: readonly number[]): number[] => [
    ...emptySlots().slice(0, passed),
    ...slots.slice(0, SLOTS - passed),
  ];
  const { requests, tokens, calls } = minute;
  return {
    slot: slotOf(now),
    requests: move(requests),
    tokens: move(tokens),
    ...(calls && { calls: move(calls) }),
  };
}

/** Adds usage (or subtracts, if negative) to the slot of a time; slots older than a minute are dropped. @internal Exported for tests only. */
export function addUse(minute: SlidingMinute, at: number, requests: number, tokens: number): SlidingMinute {
  const age = Math.max(0, minute.slot - slotOf(at));
  if (age >= SLOTS) return minute;
  return {
    ...minute,
    requests: addAt(minute.requests, age, requests),
    tokens: addAt(minute.tokens, age, tokens),
  };
}

/** Adds a free call to the newest slot. */
const addCall = (minute: SlidingMinute): SlidingMinute => ({
  ...minute,
  calls: addAt(callsIn(minute), 0, 1),
});

const callsIn = ({ calls }: SlidingMinute): readonly number[] => calls ?? emptySlots();

const addAt = (slots: readonly number[], age: number, count: number): number[] =>
  slots.map((used, index) => (index === age ? Math.max(0, used + count) : used));

export const totalOf = (slots: readonly number[]): number => slots.reduce((sum, used) => sum + used, 0);

/** Milliseconds until the slots contain at most `max`. */
export function waitUntilAtMost(slots: readonly number[], newest: number, max: number, now: number): number {
  let left = totalOf(slots);
  for (let age = slots.length - 1; age >= 0 && left > max; age -= 1) {
    left -= slots[age] ?? 0;
    if (left <= max) return Math.max(1, (newest - age + SLOTS) * SLOT_MS - now);
  }
  return 1;
}

const slotOf = (at: number): number => Math.floor(at / SLOT_MS);

const emptySlots = (): number[] => Array.from({ length: SLOTS }, () => 0);
