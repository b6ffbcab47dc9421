import { randomUUID } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { Spender } from '../identity/identity.ts';
import type { FreeCall, RateState } from './ledger.ts';
import type { LedgerQueue } from './batch-queue.ts';
import {
  heldAccounts,
  countFreeCall,
  freeCallsOf,
  narrowest,
  parallelRefusal,
  rateExceeded,
  totalOf,
  waitUntilAtMost,
  type HeldAccount,
  admitted,
} from './limits.ts';

/**
 * Free requests have their own per-minute limit, as at Anthropic, because agents count tokens more often than
 * they call models: twice the requests per minute, and at least as many as a batch with a few files needs.
 */
const SHARE = 2;
const AT_LEAST = 10;

const freeCallLimit = (rpm: number): number => (rpm === 0 ? 0 : Math.max(AT_LEAST, SHARE * rpm));

/** Admits free provider calls. For spenders without limits, this costs nothing. */
export function createFreeCalls(
  queue: LedgerQueue,
  now: () => number,
): (spender: Spender) => Promise<FreeCall> {
  /** Calls in flight in this process by account, for accounts that limit concurrent requests. */
  const running = new Map<string, number>();
  const leave = (ids: readonly string[]): void => {
    for (const id of ids) {
      const left = (running.get(id) ?? 0) - 1;
      if (left > 0) running.set(id, left);
      else running.delete(id);
    }
  };

  const countMinute = async (accounts: readonly HeldAccount[]): Promise<RateState | undefined> => {
    const at = now();
    const result = await queue.run({
      accounts: accounts.map(({ id }) => id),
      reservation: randomUUID(),
      isNew: true,
      apply(rows): RateState | AppError | undefined {
        const found = accounts.flatMap(({ id, limits }) => {
          const account = rows.account(id);
          return account && limits.rpm !== null
            ? [{ account, limits, limit: freeCallLimit(limits.rpm) }]
            : [];
        });
        for (const { account, limit } of found) {
          const { calls, slot } = freeCallsOf(account, at);
          if (totalOf(calls) >= limit)
            return rateExceeded(
              'Rate limit for free calls exceeded',
              waitUntilAtMost(calls, slot, limit - 1, at),
            );
        }
        const states = found.map(({ account, limit }) => {
          const counted = countFreeCall(account, at);
          rows.put(counted);
          const { calls, slot } = freeCallsOf(counted, at);
          const remaining = Math.max(0, limit - totalOf(calls));
          return { limit, remaining, resetAt: at + waitUntilAtMost(calls, slot, 0, at) };
        });
        return narrowest(states);
      },
    });
    if (result instanceof AppError) throw result;
    return result;
  };

  return async (spender) => {
    const accounts = heldAccounts(spender);
    const parallel = accounts.filter(({ limits }) => limits.maxParallel !== null);
    for (const { id, limits } of parallel) {
      const refusal = parallelRefusal(running.get(id) ?? 0, limits);
      if (refusal) throw refusal;
    }
    const ids = parallel.map(({ id }) => id);
    for (const id of ids) running.set(id, (running.get(id) ?? 0) + 1);
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      leave(ids);
    };
    const perMinute = accounts.filter(({ limits }) => limits.rpm !== null);
    try {
      return admitted({ rate: perMinute.length === 0 ? undefined : await countMinute(perMinute), end });
    } catch (error) {
      end();
      throw error;
    }
  };
}
