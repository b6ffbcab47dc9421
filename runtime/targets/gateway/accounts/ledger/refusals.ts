import { AppError } from '#contract/errors.ts';
import { totalOf, waitUntilAtMost } from './sliding-minute.ts';
import type { Limits } from '../identity/identity.ts';
import type { AccountRow } from '../../store/schema.ts';
import type { RateState } from './ledger.ts';
import { minuteOf } from './minute-usage.ts';

/** An account with its limits. */
export interface LimitedAccount {
  readonly account: AccountRow;
  readonly limits: Limits;
  /** Name for error messages, for example `User 'x'`. */
  readonly label: () => string;
}

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
  // A request that is larger than the whole limit is admitted when the minute is empty; otherwise it could never run.
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

/** The limit of which the least is left. */
export function narrowest(states: readonly (RateState | undefined)[]): RateState | undefined {
  return states
    .filter((state) => state !== undefined)
    .sort((one, other) => one.remaining - other.remaining)[0];
}
