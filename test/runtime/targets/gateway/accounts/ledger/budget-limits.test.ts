import { expect, test } from 'vitest';
import type { BudgetLimit } from '#gateway/accounts/fields/budget-limits.ts';
import type { Estimate } from '#gateway/accounts/ledger/ledger.ts';
import { describeDatabases, type TestDatabase } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const HOUR = 3_600_000;
const PAGE = { skip: 0, limit: 100 };

const limitOf = (dollars: number, fields: Partial<BudgetLimit> = {}): BudgetLimit => ({
  maxBudget: BigInt(dollars * 1e9),
  budgetDurationSec: null,
  calendar: null,
  timeZone: null,
  models: null,
  ...fields,
});
const FIVE_HOURS = { budgetDurationSec: 18_000 };
const WEEK = { calendar: 'week' } as const;

const costing = (dollars: number, models?: readonly string[]): Estimate => ({
  cost: BigInt(dollars * 1e9),
  tokens: 1,
  free: false,
  models,
});
const spent = (dollars: number, model = 'openai:small') => used(BigInt(dollars * 1e9), { model });

async function start(database: TestDatabase, limits: readonly BudgetLimit[]) {
  const state = await database.start();
  const { budgetId } = await state.budgets.create({ limits });
  await state.identity.users.create({ userId: 'ada', budgetId });
  const ada = async () => await newSpender(state.identity, { userId: 'ada' });
  /** The spending and the reservations of each limit, in dollars. */
  const states = async () =>
    (await state.ledger.quota(await ada())).limits.map(({ state: { spent: one, reserved } }) => [
      Number(one) / 1e9,
      Number(reserved) / 1e9,
    ]);
  return { ...state, budgetId, ada, states };
}

describeDatabases((database) => {
  test('a request must fit into all windows, which end separately', async () => {
    const state = await start(database, [limitOf(5, FIVE_HOURS), limitOf(8, WEEK)]);
    const { ledger, ada, states, clock } = state;
    const held = await ledger.reserve(await ada(), costing(4));
    expect(await states()).toEqual([
      [0, 4],
      [0, 4],
    ]);
    await expect(ledger.reserve(await ada(), costing(2))).rejects.toMatchObject({
      reason: 'budget_reserved',
      message: expect.stringMatching(
        /^User 'ada' \(limit of \$5\.00 per 5h\) has \$1 of the budget left while \$4 is reserved/,
      ),
    });
    await ledger.settle(held, spent(4.5));
    expect(await states()).toEqual([
      [4.5, 0],
      [4.5, 0],
    ]);
    await expect(ledger.reserve(await ada(), costing(1))).rejects.toMatchObject({
      reason: 'estimate_exceeds_budget',
      message: expect.stringMatching(
        /^User 'ada' \(limit of \$5\.00 per 5h\) has \$0\.5 of the budget left, .* or raise the budget\. This limit resets at 2026-03-01T17:00:00Z\.$/,
      ),
      retryAfterSeconds: 18_000,
    });
    await ledger.settle(await ledger.reserve(await ada(), costing(0.5)), spent(0.5));
    await expect(ledger.reserve(await ada(), costing(1))).rejects.toMatchObject({
      reason: 'budget_exceeded',
      message:
        "User 'ada' (limit of $5.00 per 5h) has exceeded budget limit. This limit resets at 2026-03-01T17:00:00Z.",
    });
    clock.advance(5 * HOUR);
    await ledger.settle(await ledger.reserve(await ada(), costing(3)), spent(3));
    expect(await states()).toEqual([
      [3, 0],
      [8, 0],
    ]);
    await expect(ledger.reserve(await ada(), costing(1))).rejects.toThrow(
      "User 'ada' (limit of $8.00 per week (UTC)) has exceeded budget limit. This limit resets at 2026-03-02T00:00:00Z.",
    );
    clock.advance(24 * HOUR);
    await ledger.release(await ledger.reserve(await ada(), costing(1)));
    expect(await states()).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(await state.identity.users.get('ada')).toMatchObject({ spent: 8_000_000_000n, reserved: 0n });
    expect(await state.budgets.resets(PAGE)).toEqual([]);
  });

  test('concurrent requests never exceed a limit, also at two gateways that use it for the first time', async () => {
    const { url, ledger, ada } = await start(database, [limitOf(10, FIVE_HOURS), limitOf(7, WEEK)]);
    const other = await database.open(url);
    const spender = await ada();
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? ledger : other.ledger).reserve(spender, costing(1)),
      ),
    );
    const held = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(held).toHaveLength(7);
    await Promise.all(held.map((one) => ledger.settle(one, spent(1))));
    await expect(other.ledger.reserve(spender, costing(0.5))).rejects.toThrow('$7.00 per week');
    const { limits } = await other.ledger.quota(spender);
    expect(limits.map(({ state }) => [state.spent, state.reserved])).toEqual([
      [7_000_000_000n, 0n],
      [7_000_000_000n, 0n],
    ]);
  });

  test('a limit for models only applies to requests that they can respond to, and counts only their cost', async () => {
    const { ledger, ada, states } = await start(database, [
      limitOf(3, { ...FIVE_HOURS, models: ['openai:o3*', 'anthropic:*'] }),
      limitOf(100, FIVE_HOURS),
    ]);
    await ledger.settle(await ledger.reserve(await ada(), costing(50, ['openai:small'])), spent(50));
    expect(await states()).toEqual([
      [0, 0],
      [50, 0],
    ]);
    // Any target of an alias can respond, so the request must fit into the limits of all.
    const alias = ['openai:small', 'anthropic:claude'];
    await expect(ledger.reserve(await ada(), costing(4, alias))).rejects.toMatchObject({
      reason: 'estimate_exceeds_budget',
      message: expect.stringContaining(
        '(limit of $3.00 per 5h for openai:o3*, anthropic:*) has a budget of $3, and',
      ),
    });
    const [first, second] = [
      await ledger.reserve(await ada(), costing(1, alias)),
      await ledger.reserve(await ada(), costing(2, alias)),
    ];
    expect(await states()).toEqual([
      [0, 3],
      [50, 3],
    ]);
    await ledger.settle(first, spent(1));
    await ledger.settle(second, spent(0.5), spent(1.5, 'ANTHROPIC:claude'));
    expect(await states()).toEqual([
      [1.5, 0],
      [53, 0],
    ]);
    await ledger.bill(await ada(), spent(1.5, 'openai:o3-mini'));
    await expect(ledger.reserve(await ada(), costing(1, ['openai:o3']))).rejects.toMatchObject({
      reason: 'budget_exceeded',
    });
    await ledger.release(await ledger.reserve(await ada(), costing(1, ['openai:small'])));
    // A cached response has no models and costs nothing.
    await ledger.release(await ledger.reserve(await ada(), { ...costing(0, []), free: true }));
  });

  test('the budgets of keys’ teams and of tags have limits as well, which keep their own accounts', async () => {
    const state = await start(database, [limitOf(5, FIVE_HOURS)]);
    const { identity, ledger, budgetId } = state;
    await identity.teams.create({ id: 'crew', budgetId });
    await identity.tags.set('search', budgetId);
    const { secret } = await identity.keys.create({ userId: 'ada', teamId: 'crew' });
    const caller = await identity.authenticate(new Headers({ 'x-gateway-key': `Bearer ${secret}` }));
    const spender = await identity.spender(caller, undefined, ['search']);
    await ledger.settle(await ledger.reserve(spender, costing(2)), spent(2));
    const { limits } = await ledger.quota(spender);
    expect(limits.map(({ name, state: one }) => [name, one.spent])).toEqual([
      ["User 'ada' (limit of $5.00 per 5h)", 2_000_000_000n],
      ["Team 'crew' (limit of $5.00 per 5h)", 2_000_000_000n],
      ["Tag 'search' (limit of $5.00 per 5h)", 2_000_000_000n],
    ]);
    const rows = await state.store.db.selectFrom('gateway_usage').selectAll().execute();
    expect(rows).toMatchObject([{ team_id: 'crew', organization_id: null }]);
  });

  test('a change of the amount keeps the spending, and a change of the window starts another limit', async () => {
    const { ledger, ada, states, budgets, budgetId, identity } = await start(database, [
      limitOf(5, FIVE_HOURS),
    ]);
    await ledger.settle(await ledger.reserve(await ada(), costing(4)), spent(4));
    await budgets.change(budgetId, { limits: [limitOf(10, FIVE_HOURS)] });
    expect(await states()).toEqual([[4, 0]]);
    const held = await ledger.reserve(await ada(), costing(5));
    await budgets.change(budgetId, { limits: [limitOf(10, { budgetDurationSec: 3600 })] });
    expect(await states()).toEqual([[0, 0]]);
    // The request was reserved against the earlier limit.
    await ledger.settle(held, spent(5));
    expect(await states()).toEqual([[0, 0]]);
    await budgets.change(budgetId, { limits: [limitOf(10, FIVE_HOURS)] });
    expect(await states()).toEqual([[9, 0]]);
    // A user that is created again starts with no spending.
    await identity.users.delete('ada');
    await identity.users.create({ userId: 'ada', budgetId });
    expect(await states()).toEqual([[0, 0]]);
    await budgets.change(budgetId, { limits: null });
    expect(await states()).toEqual([]);
  });

  test('a dead gateway’s reservations are released, and its requests are billed to the limits for their models', async () => {
    const { url, ledger, ada, states } = await start(database, [
      limitOf(5, { ...FIVE_HOURS, models: ['anthropic:*'] }),
      limitOf(9, FIVE_HOURS),
    ]);
    const alias = ['openai:small', 'anthropic:claude'];
    const [one, other] = [
      await ledger.reserve(await ada(), costing(2, alias)),
      await ledger.reserve(await ada(), costing(2, alias)),
    ];
    const note = (id: string, model: string) => ({
      id,
      interrupted: JSON.stringify({
        entry: { ...spent(1, model), cost: '1000000000', status: 'interrupted' },
        tags: [],
      }),
    });
    await ledger.note([note(one.id, 'openai:small'), note(other.id, 'anthropic:claude')]);
    const store = await database.openStore(url);
    await store.db.updateTable('gateway_reservations').set({ process_id: 'dead' }).execute();
    const successor = await database.open(url);
    expect(await states()).toEqual([
      [1, 0],
      [2, 0],
    ]);
    await successor.close();
  });

  test('work that outlives its request stays reserved against the limits until it is paid for', async () => {
    const { ledger, ada, states } = await start(database, [
      limitOf(5, { ...FIVE_HOURS, models: ['openai:*'] }),
    ]);
    const held = await ledger.keep(await ledger.reserve(await ada(), costing(3, ['openai:small'])));
    expect(await states()).toEqual([[0, 3]]);
    await ledger.settleHeld(held, spent(1), spent(1, 'anthropic:claude'));
    expect(await states()).toEqual([[1, 0]]);
  });

  test('alerts name the limit', async () => {
    const url = await database.create();
    const state = await database.open(url, { alertPolicy: () => ({ thresholds: [80] }) });
    const { budgetId } = await state.budgets.create({ limits: [limitOf(5, FIVE_HOURS)] });
    await state.identity.users.create({ userId: 'ada', budgetId });
    const ada = await newSpender(state.identity, { userId: 'ada' });
    await state.ledger.settle(await state.ledger.reserve(ada, costing(5)), spent(5));
    await expect(state.ledger.reserve(ada, costing(1))).rejects.toThrow('has exceeded budget limit');
    const alerts = (await state.alerts.list(PAGE)).map(({ kind, label }) => `${kind} ${label}`);
    expect(new Set(alerts)).toEqual(
      new Set([
        "budget.request_refused User 'ada' (limit of $5.00 per 5h)",
        "budget.threshold_reached User 'ada' (limit of $5.00 per 5h)",
      ]),
    );
  });

  test('invalid limits are rejected', async () => {
    const { budgets } = await database.start();
    const refusals: readonly (readonly [readonly Partial<BudgetLimit>[], string])[] = [
      [[{ ...FIVE_HOURS, ...WEEK }], 'calendar and budget_duration_sec are mutually exclusive'],
      [[{ timeZone: 'UTC' }], 'time_zone requires calendar'],
      [[{ ...WEEK, timeZone: 'Mars' }], '"Mars" is not a time zone'],
      [[{ models: [] }], 'models is empty'],
      [[FIVE_HOURS, FIVE_HOURS], 'two limits with the same window and models: $1.00 per 5h'],
      [
        Array.from({ length: 11 }, (_, at) => ({ budgetDurationSec: at + 1 })),
        'has 11 limits; the maximum is 10',
      ],
    ];
    for (const [limits, message] of refusals)
      await expect(budgets.create({ limits: limits.map((one) => limitOf(1, one)) })).rejects.toThrow(message);
  });
});
