import { randomUUIDv7 } from 'node:crypto';
import type { Limits } from '../identity/identity.ts';
import type { AccountRow, BudgetResetRow } from '../../store/schema.ts';

/** Updates the budget window of an account. The first request after the end of a window resets it and starts the next one. */
export function rollWindow(
  account: AccountRow,
  { budgetDurationSec: seconds }: Limits,
  now: number,
): { readonly account: AccountRow; readonly reset: BudgetResetRow | undefined } {
  const { window_started_at: startedAt, window_ends_at: endsAt } = account;
  if (seconds === null) {
    return { account: endsAt === null ? account : { ...account, window_ends_at: null }, reset: undefined };
  }
  const next = now + seconds * 1000;
  if (endsAt === null) {
    const window = { window_started_at: startedAt ?? now, window_ends_at: next };
    return { account: { ...account, ...window }, reset: undefined };
  }
  if (now < endsAt) return { account, reset: undefined };
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
