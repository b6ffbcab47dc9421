import type { AppError } from '../../../../contract/errors.ts';
import type { Ledger, RateState } from '../../accounts/ledger/ledger.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type { CompletionRequest } from './completion.ts';

/** How many requests are left, for clients that keep to it. */
export function setRateHeaders(
  setHeader: CompletionRequest['setHeader'],
  { limit, remaining, resetAt }: RateState,
): void {
  setHeader('X-RateLimit-Limit', String(limit));
  setHeader('X-RateLimit-Remaining', String(remaining));
  setHeader('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)));
}

/** The same for a request that was one too many. */
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
