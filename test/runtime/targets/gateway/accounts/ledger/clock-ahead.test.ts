import { expect, test } from 'vitest';
import { rollWindow } from '#gateway/accounts/ledger/limits.ts';
import { createTestClock } from '../../test-clock.ts';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const DAY_MS = 86_400_000;
/** Maximum difference between the clocks of gateways. */
const MAX_DIFFERENCE_MS = 300_000;
const ESTIMATE = { cost: 10n, tokens: 5, free: false };

describeDatabases((database) => {
  test.each([
    ['a duration', { budgetDurationSec: 86_400 }],
    ['a calendar', { calendar: 'day', timeZone: 'Europe/Berlin' }],
  ] as const)(
    'a request made while the clock was months ahead does not block a budget with %s',
    async (_what, window) => {
      const { budgets, identity, ledger, clock, url } = await database.start();
      const { budgetId } = await budgets.create({ maxBudget: 100n, ...window });
      await identity.users.create({ userId: 'ada', budgetId });
      const spender = await newSpender(identity, { userId: 'ada' });
      await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(10n));
      const ahead = await database.open(url, { clock: createTestClock(clock.now() + 200 * DAY_MS) });
      await ahead.ledger.settle(await ahead.ledger.reserve(spender, ESTIMATE), used(100n));
      await ahead.close();
      // The spending counts in the current window.
      await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({ reason: 'budget_exceeded' });
      clock.advance(DAY_MS);
      await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(1n));
      const { user } = await ledger.quota(spender);
      expect(user.spent).toBe(1n);
      expect(user.nextBudgetResetAt ?? 0).toBeLessThanOrEqual(clock.now() + DAY_MS);
    },
  );
});

test("a window that another gateway's faster clock started a moment later is kept", () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  const account = {
    id: 'user:ada',
    spent_nano: 5n,
    reserved_nano: 0n,
    running: 0,
    window_started_at: now + MAX_DIFFERENCE_MS,
    window_ends_at: now + MAX_DIFFERENCE_MS + DAY_MS,
    minute: null,
  };
  const limits = { budgetDurationSec: 86_400, budgetCalendar: null } as Parameters<typeof rollWindow>[1];
  expect(rollWindow(account, limits, now)).toEqual({ account, reset: undefined });
});
