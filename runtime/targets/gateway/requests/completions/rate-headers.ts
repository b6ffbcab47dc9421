import type { AppError } from '#contract/errors.ts';
import type { Ledger, RateState } from '../../accounts/ledger/ledger.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type { CompletionRequest } from './completion.ts';

/** Sets the headers with the number of requests that clients have left. */
export function setRateHeaders(
  setHeader: CompletionRequest['setHeader'],
  { limit, remaining, resetAt }: RateState,
): void {
  setHeader('X-RateLimit-Limit', String(limit));
  setHeader('X-RateLimit-Remaining', String(remaining));
  setHeader('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)));
}

/** The rate limit state for a request that was rejected because of it. */
export async function rateOfRefused(
  ledger: Pick<Ledger, 'quota'>,
  spender: Spender,
  { retryAfterSeconds = 1 }: AppError,
  now: number,
): Promise<RateState | undefined> {
  const { user, key } = await ledger.quota(spender);
  const [narrowest] = [key, user]
    .flatMap((account) => {
      const { limit = null, remaining = null } = account?.requests ?? {};
      return limit === null ? [] : [{ limit, remaining: remaining ?? 0 }];
    })
    .sort((one, other) => one.remaining - other.remaining);
  return narrowest && { ...narrowest, resetAt: now + retryAfterSeconds * 1000 };
}
