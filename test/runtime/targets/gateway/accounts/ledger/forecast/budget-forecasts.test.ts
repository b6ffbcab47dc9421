import { expect, test } from 'vitest';
import { DAY_MS } from '#gateway/accounts/ledger/forecast/forecast.ts';
import { describeDatabases } from '../../../databases.ts';
import { gatewayOn } from '../../../api/open-gateway.ts';
import { used } from '../../../requests.ts';

describeDatabases((database) => {
  test('forecasts budgets of all owners and further limits from their usage by day', async () => {
    const { clock, url: _url, ...state } = await database.start();
    const { identity, ledger, budgets, trends } = state;
    const gateway = gatewayOn(state, clock);
    const { budgetId } = await budgets.create({
      maxBudget: 100_000_000_000n,
      calendar: 'week',
    });
    await identity.users.create({ userId: 'ann', budgetId });
    await identity.users.create({ userId: 'new', budgetId });
    await identity.users.create({ userId: 'unlimited' });
    const spender = await identity.spender({ kind: 'master' }, 'ann');
    const spend = async (model: string, dollars: number): Promise<void> => {
      const cost = BigInt(dollars) * 1_000_000_000n;
      const estimate = { cost, tokens: 1, free: false, models: [model] };
      const reservation = await ledger.reserve(spender, estimate);
      await ledger.settle(reservation, used(cost, { model }));
    };
    // 2026-03-01, 12:00, is a Sunday. Nine complete days pass until Wednesday of the week after next.
    for (let day = 0; day < 10; day += 1) {
      await spend('openai:gpt', 2);
      await spend('anthropic:claude', 1);
      clock.advance(DAY_MS);
    }
    await trends.count(clock.now());
    await budgets.change(budgetId, {
      limits: [
        {
          maxBudget: 5_000_000_000n,
          budgetDurationSec: null,
          calendar: 'week',
          timeZone: null,
          models: ['anthropic:*'],
        },
      ],
    });
    await spend('anthropic:claude', 1);
    const list = async (query = '') => (await gateway.ask('GET', `/v1/budgets/forecasts${query}`)).body;
    const found = await list();
    const [own, limit, fresh] = found;
    expect(found).toHaveLength(4);
    expect(own).toMatchObject({
      owner: { type: 'user', id: 'ann' },
      label: "User 'ann'",
      models: null,
      max_budget: 100,
      spend: 7,
      next_budget_reset_at: '2026-03-16T00:00:00Z',
      days: 10,
      forecast: { exhausted_at: null, exhausted_earliest: null, weekly: false },
    });
    // All spending is in the hour after noon, which has just begun, and four more days follow.
    const { expected, low, high } = own.forecast.projected_spend;
    expect(expected).toBeCloseTo(7 + 5 * 3, 3);
    expect([low, high]).toEqual([expect.closeTo(expected, 3), expect.closeTo(expected, 3)]);
    expect(limit).toMatchObject({ models: ['anthropic:*'], max_budget: 5, spend: 1, days: 10 });
    expect(Date.parse(limit.forecast.exhausted_at)).toBeGreaterThan(clock.now());
    expect(Date.parse(limit.forecast.exhausted_at)).toBeLessThan(Date.parse('2026-03-15T00:00:00Z'));
    expect(fresh).toMatchObject({ owner: { id: 'new' }, days: 0, forecast: null });
    expect(await list('?owner=team')).toEqual([]);
    expect((await gateway.ask('GET', '/v1/budgets/forecasts?owner=tag')).status).toBe(422);
  });
});
