import { expect, test } from 'vitest';
import type { AlertPolicy, ForecastPolicy } from '#gateway/accounts/ledger/budget-alerts.ts';
import { createExhaustionAlerts } from '#gateway/accounts/ledger/forecast/exhaustion-alerts.ts';
import { DAY_MS, HOUR_MS } from '#gateway/accounts/ledger/forecast/forecast.ts';
import { deliveryOf } from '../../../alerts/delivery.ts';
import { useReceivers } from '../../../alerts/receiver.ts';
import { gatewayOn } from '../../../api/open-gateway.ts';
import { describeDatabases } from '../../../databases.ts';
import { used } from '../../../requests.ts';
import { createTestClock } from '../../../test-clock.ts';

const receiver = useReceivers();
const PAGE = { skip: 0, limit: 100 };
const FORECAST: ForecastPolicy = { certainty: 90, owners: ['user', 'key', 'team', 'organization'] };
const GIGA = 1_000_000_000;

describeDatabases((database) => {
  /** A gateway with a user who has spent an amount on each of the last days; it is Monday, 12:00. */
  const start = async (daily: readonly number[], policy: AlertPolicy = { thresholds: [100] }) => {
    const url = await database.create();
    const clock = createTestClock();
    const state = await database.open(url, { clock });
    const { budgetId } = await state.budgets.create({ maxBudget: 900n * BigInt(GIGA), calendar: 'week' });
    await state.identity.users.create({ userId: 'ada', budgetId });
    const spend = async (dollars: number): Promise<void> => {
      const spender = await state.identity.spender({ kind: 'master' }, 'ada');
      const cost = BigInt(Math.round(dollars * GIGA));
      const estimate = { cost: 0n, tokens: 1, free: false, models: ['a:b'] };
      await state.ledger.settle(await state.ledger.reserve(spender, estimate), used(cost, { model: 'a:b' }));
    };
    // 2026-03-01, when the clock starts, is a Sunday.
    clock.advance(((8 - (daily.length % 7)) % 7) * DAY_MS);
    for (const dollars of daily) {
      await spend(dollars);
      clock.advance(DAY_MS);
    }
    await state.trends.count(clock.now());
    await state.budgets.change(budgetId, { maxBudget: 15n * BigInt(GIGA) });
    let current: AlertPolicy = policy;
    const alertsOf = ({ forecasts, store }: Pick<typeof state, 'forecasts' | 'store'>) =>
      createExhaustionAlerts({ forecasts, store, clock, policy: () => current });
    return {
      ...state,
      url,
      clock,
      budgetId,
      spend,
      alertsOf,
      raise: alertsOf(state),
      configure: (forecast: ForecastPolicy | undefined) => void (current = { ...policy, forecast }),
      raised: async () => await state.alerts.list(PAGE),
    };
  };
  const STEADY = Array.from({ length: 14 }, () => 3);

  test('a budget that will be exhausted raises one alert per window, in which no gateway repeats it', async () => {
    const { url, clock, spend, alertsOf, raise, configure, raised, ...state } = await start(STEADY);
    expect(new Date(clock.now()).toISOString()).toBe('2026-03-16T12:00:00.000Z');
    await spend(3);
    await raise();
    expect(await raised()).toEqual([]);
    configure(FORECAST);
    const other = await database.open(url, { clock });
    await Promise.all([raise(), alertsOf(other)(), raise()]);
    const [alert, ...more] = await raised();
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      kind: 'budget.exhaustion_forecast',
      account_id: 'user:ada',
      threshold: null,
    });

    // Three more dollars are expected on each day from Monday to Thursday, in the hour of noon.
    const { ask } = gatewayOn(state, clock);
    const { body } = await ask('GET', '/v1/alerts');
    expect(body).toMatchObject([
      {
        type: 'budget.exhaustion_forecast',
        message:
          "User 'ada' has spent $3 of a budget of $15 and is expected to exhaust it on 2026-03-19 13:00 UTC, before it is reset on 2026-03-23 00:00 UTC (certainty: at least 90%).",
        account: { type: 'user', id: 'ada' },
        spend: 3,
        max_budget: 15,
        exhausted_at: '2026-03-19T13:00:00Z',
        certainty: 90,
        next_budget_reset_at: '2026-03-23T00:00:00Z',
      },
    ]);
    const { url: to, received } = await receiver();
    const { run } = deliveryOf(state, to);
    await run();
    await run();
    expect(received.map((one) => one.body)).toEqual([
      {
        type: 'budget.exhaustion_forecast',
        timestamp: '2026-03-16T12:00:00Z',
        data: {
          id: alert?.id,
          message: body[0].message,
          account: { type: 'user', id: 'ada' },
          threshold: null,
          spend: 3,
          max_budget: 15,
          budget_started_at: body[0].budget_started_at,
          next_budget_reset_at: '2026-03-23T00:00:00Z',
          exhausted_at: '2026-03-19T13:00:00Z',
          certainty: 90,
        },
      },
    ]);

    // The forecast changes: without spending, and with spending again.
    clock.advance(2 * DAY_MS);
    await raise();
    await spend(9);
    clock.advance(HOUR_MS);
    await raise();
    expect(await raised()).toHaveLength(1);
    // An exhausted budget.
    await spend(9);
    await raise();
    expect(await raised()).toHaveLength(1);
    // The next window begins with its first request. The last days were uneven.
    configure({ ...FORECAST, certainty: 50 });
    clock.advance(5 * DAY_MS);
    await state.trends.count(clock.now());
    await raise();
    clock.advance(HOUR_MS);
    await raise();
    expect(await raised()).toHaveLength(1);
    await spend(3);
    await raise();
    await raise();
    expect(await raised()).toHaveLength(2);
  });

  test('alerts need the configured certainty', async () => {
    // Few expensive days, so that the forecast is uncertain.
    const uneven = Array.from({ length: 21 }, (_, at) => [1, 0.5, 9, 0.5, 1][at % 5] ?? 0);
    const { spend, raise, configure, raised } = await start(uneven);
    await spend(1);
    configure({ ...FORECAST, certainty: 99 });
    await raise();
    expect(await raised()).toEqual([]);
    configure({ ...FORECAST, certainty: 50 });
    await raise();
    expect(await raised()).toHaveLength(1);
  });

  test('other kinds of owners, budgets without alerts and budgets without a window raise none', async () => {
    const { spend, raise, configure, raised, budgets, budgetId } = await start(STEADY);
    await spend(3);
    configure({ ...FORECAST, owners: ['team', 'key'] });
    await raise();
    configure(FORECAST);
    await budgets.change(budgetId, { alertThresholds: [] });
    await raise();
    await budgets.change(budgetId, { alertThresholds: null, calendar: null });
    await raise();
    expect(await raised()).toEqual([]);
    await budgets.change(budgetId, { calendar: 'week' });
    await spend(0);
    await raise();
    expect(await raised()).toHaveLength(1);
  });
});
