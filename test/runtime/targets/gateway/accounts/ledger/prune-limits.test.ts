import { expect, test } from 'vitest';
import type { BudgetLimit } from '#gateway/accounts/fields/budget-limits.ts';
import { describeDatabases } from '../../databases.ts';
import { used } from '../../requests.ts';

const ESTIMATE = { cost: 10n, tokens: 1, free: false };
const DAY_MS = 86_400_000;

const limitOf = (seconds: number | null, maxBudget = 1000n): BudgetLimit => ({
  maxBudget,
  budgetDurationSec: seconds,
  calendar: null,
  timeZone: null,
  models: null,
});

describeDatabases((database) => {
  test('accounts of removed limits are deleted after their window, unless they have reservations', async () => {
    const { identity, ledger, budgets, store, clock, url, pruneLimits } = await database.start();
    const other = await database.open(url, { clock });
    const limits = [limitOf(3600), limitOf(7200), limitOf(null)];
    const { budgetId } = await budgets.create({ maxBudget: 1_000_000n, limits });
    await identity.users.create({ userId: 'ann', budgetId });
    await identity.teams.create({ id: 'team', budgetId });
    const spenderIn = async () => await identity.spender({ kind: 'master' }, 'ann');
    const accounts = async (): Promise<number> => {
      await ledger.heartbeat();
      const rows = await store.db
        .selectFrom('gateway_accounts')
        .select('id')
        .where('id', 'like', 'limit:%')
        .execute();
      return rows.length;
    };
    await ledger.settle(await ledger.reserve(await spenderIn(), ESTIMATE), used(5n));
    expect(await accounts()).toBe(3);
    // Limits of a budget stay, also after their window.
    clock.advance(3 * DAY_MS);
    expect([await pruneLimits(clock.now()), await accounts()]).toEqual([0, 3]);
    const before = await ledger.reserve(await spenderIn(), ESTIMATE);
    await budgets.change(budgetId, { limits: [limitOf(3600)] });
    clock.advance(2000);
    // The other gateway must not delete accounts with a reservation of this one.
    const held = await ledger.keep(before);
    expect([await other.pruneLimits(clock.now()), await accounts()]).toEqual([0, 3]);
    await ledger.settleHeld(held, used(7n));
    // The window of one of them has not ended yet.
    expect([await other.pruneLimits(clock.now()), await accounts()]).toEqual([1, 2]);
    clock.advance(DAY_MS);
    expect([await other.pruneLimits(clock.now()), await accounts()]).toEqual([1, 1]);
    expect(await other.pruneLimits(clock.now())).toBe(0);
    // A limit that is added again works as a new one.
    await budgets.change(budgetId, { limits: [limitOf(3600), limitOf(7200, 10n)] });
    clock.advance(2000);
    const again = await ledger.reserve(await spenderIn(), ESTIMATE);
    await expect(ledger.reserve(await spenderIn(), ESTIMATE)).rejects.toMatchObject({
      reason: 'budget_reserved',
    });
    await ledger.settle(again, used(10n));
    await expect(ledger.reserve(await spenderIn(), ESTIMATE)).rejects.toMatchObject({
      reason: 'budget_exceeded',
    });
    expect(await accounts()).toBe(2);
  });
});
