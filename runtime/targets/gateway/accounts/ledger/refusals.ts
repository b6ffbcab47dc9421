import { AppError } from '../../../../contract/errors.ts';
import { totalOf, waitUntilAtMost } from './sliding-minute.ts';
import type { Limits } from '../identity/identity.ts';
import type { AccountRow } from '../../store/schema.ts';
import type { RateState } from './ledger.ts';
import { minuteOf } from './use-minute.ts';

/** Someone whose limits a request must keep to. */
export interface Party {
  readonly account: AccountRow;
  readonly limits: Limits;
  /** As `User 'x'`. */
  readonly shown: () => string;
}

/** What speaks against a request because of how many there are. */
export function rateRefusal({ account, limits }: Party, tokens: number, now: number): AppError | undefined {
  const { rpm, tpm, maxParallel } = limits;
  if (maxParallel !== null && account.running >= maxParallel)
    return tooMany('Too many parallel requests', 1000);
  if (rpm === null && tpm === null) return undefined;
  const minute = minuteOf(account, now);
  if (rpm !== null && totalOf(minute.requests) >= rpm) {
    const wait = waitUntilAtMost(minute.requests, minute.slot, rpm - 1, now);
    return tooMany('Rate limit exceeded', wait);
  }
  const used = totalOf(minute.tokens);
  // One that is larger than the whole limit has its turn in an empty minute, else it never would.
  if (tpm !== null && used > 0 && used + tokens > tpm) {
    const wait = waitUntilAtMost(minute.tokens, minute.slot, Math.max(0, tpm - tokens), now);
    return tooMany('Token rate limit exceeded', wait);
  }
  return undefined;
}

export function rateStateOf({ account, limits: { rpm } }: Party, now: number): RateState | undefined {
  if (rpm === null) return undefined;
  const { requests, slot } = minuteOf(account, now);
  const remaining = Math.max(0, rpm - totalOf(requests));
  return { limit: rpm, remaining, resetAt: now + waitUntilAtMost(requests, slot, 0, now) };
}

const tooMany = (message: string, milliseconds: number): AppError =>
  new AppError('OverloadedError', message, {
    reason: 'rate_limited',
    retryAfterSeconds: Math.ceil(milliseconds / 1000),
  });
