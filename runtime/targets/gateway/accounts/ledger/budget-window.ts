import { randomUUIDv7 } from 'node:crypto';
import { nextStart } from '#core/time/calendar.ts';
import type { Limits } from '../identity/identity.ts';
import type { AccountRow, BudgetResetRow } from '../../store/schema.ts';

/** Clocks of gateways that share a database can differ by this much. */
const MAX_CLOCK_DIFFERENCE_MS = 300_000;

/** Updates the budget window of an account. The first request after the end of a window resets it and starts the next one. */
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
    // The window was started by a clock that was ahead. What it has spent counts in the window of now.
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
