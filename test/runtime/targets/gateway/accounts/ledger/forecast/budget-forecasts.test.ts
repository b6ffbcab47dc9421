import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '#gateway/accounts/ledger/forecast/forecast.ts';
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
    expect(own.course).toBeUndefined();
    const [drawn, drawnLimit] = await list('?owner=user&id=ann');
    expect(drawn).toMatchObject(own);
    // By hour, because the window began less than 3 days ago.
    const past: readonly { readonly time: string }[] = drawn.course.past;
    expect(past).toHaveLength(49);
    expect([past[0], ...past.filter(({ time }) => time.includes('T00:')), past.at(-1)]).toEqual([
      { time: own.budget_started_at, spend: 0 },
      { time: '2026-03-10T00:00:00Z', spend: 3 },
      { time: '2026-03-11T00:00:00Z', spend: 6 },
      { time: '2026-03-11T12:00:00Z', spend: 7 },
    ]);
    expect(drawn.course.future.map(({ time }: { time: string }) => time)).toEqual([
      '2026-03-11T12:00:00Z',
      ...[12, 13, 14, 15].map((day) => `2026-03-${day}T00:00:00Z`),
      '2026-03-16T00:00:00Z',
    ]);
    expect(drawn.course.future.at(0).expected).toBeCloseTo(7, 3);
    expect(drawn.course.future.at(-1).expected).toBeCloseTo(expected, 3);
    expect(drawnLimit.course.past.at(-1)).toEqual({ time: '2026-03-11T12:00:00Z', spend: 1 });
    expect(await list('?owner=user&id=new')).toMatchObject([{ course: { future: [] } }, {}]);
    expect(await list('?owner=user&id=missing')).toEqual([]);
    expect(await list(`?owner=user&id=${encodeURIComponent("' or 1=1 --\0")}`)).toEqual([]);
    expect(await list('?owner=team')).toEqual([]);
    expect((await gateway.ask('GET', '/v1/budgets/forecasts?owner=tag')).status).toBe(422);
  });

  test('the hours of a day are those of the owner', async () => {
    const { clock, url: _url, ...state } = await database.start();
    const { identity, ledger, budgets, trends } = state;
    const { budgetId } = await budgets.create({ maxBudget: 100_000_000_000n, calendar: 'day' });
    const spend = async (userId: string): Promise<void> => {
      const spender = await identity.spender({ kind: 'master' }, userId);
      const cost = 24_000_000_000n;
      const estimate = { cost, tokens: 1, free: false, models: ['a:b'] };
      await ledger.settle(await ledger.reserve(spender, estimate), used(cost, { model: 'a:b' }));
    };
    for (const userId of ['noon', 'evening']) await identity.users.create({ userId, budgetId });
    // One spends at noon, the other at 20:00.
    for (let day = 0; day < 9; day += 1) {
      await spend('noon');
      clock.advance(8 * HOUR_MS);
      await spend('evening');
      clock.advance(16 * HOUR_MS);
    }
    clock.advance(3 * HOUR_MS);
    await trends.count(clock.now());
    const found = await state.forecasts.list('user', { skip: 0, limit: 10 });
    const expected = Object.fromEntries(
      found.map(({ owner, forecast }) => [owner.id, forecast?.projected?.expected]),
    );
    // At 15:00, all of one user's day is over, and all of the other's is left.
    expect(expected).toEqual({ noon: expect.closeTo(0, 6), evening: expect.closeTo(24, 6) });
  });
});
