import { expect, test } from 'vitest';
import type { AlertPolicy } from '#gateway/accounts/ledger/budget-alerts.ts';
import type { GatewayState } from '#gateway/gateway-state.ts';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';
import { createTestClock } from '../../test-clock.ts';

const DAY_MS = 86_400_000;
const PAGE = { skip: 0, limit: 100 };
const POLICY: AlertPolicy = { thresholds: [50, 80, 100] };
const alertPolicy = (): AlertPolicy => POLICY;

/** Alerts as account, threshold and amount, sorted. */
const raised = async ({ alerts }: Pick<GatewayState, 'alerts'>) =>
  (await alerts.list(PAGE))
    .map(
      (alert) =>
        `${alert.account_id} ${alert.threshold ?? 'refused'} ${alert.spent_nano}/${alert.limit_nano}`,
    )
    .toSorted();

const identitySpent = async ({ identity }: GatewayState): Promise<bigint> =>
  (await identity.users.get('ada')).spent;

describeDatabases((database) => {
  test('each budget threshold raises one alert per window', async () => {
    const clock = createTestClock();
    const state = await database.open(await database.create(), { clock, alertPolicy });
    const { budgets, identity, ledger } = state;
    const { budgetId } = await budgets.create({ maxBudget: 100n, budgetDurationSec: 86_400 });
    await identity.users.create({ userId: 'ada', budgetId });
    const spender = await newSpender(identity, { userId: 'ada' });
    const spend = async (cost: bigint, estimate = cost): Promise<void> =>
      await ledger.settle(
        await ledger.reserve(spender, { cost: estimate, tokens: 1, free: false }),
        used(cost),
      );
    await spend(49n);
    expect(await raised(state)).toEqual([]);
    await spend(1n);
    await spend(20n);
    expect(await raised(state)).toEqual(['user:ada 50 50/100']);
    // More than one threshold in one step, and more than the reservation.
    await spend(31n, 10n);
    const first = ['user:ada 100 101/100', 'user:ada 50 50/100', 'user:ada 80 101/100'];
    expect(await raised(state)).toEqual(first);
    for (let count = 0; count < 3; count += 1)
      await expect(spend(1n)).rejects.toMatchObject({ reason: 'budget_exceeded' });
    expect(await raised(state)).toEqual([...first, 'user:ada refused 101/100']);
    clock.advance(DAY_MS);
    await spend(60n);
    expect(await raised(state)).toEqual([
      'user:ada 100 101/100',
      'user:ada 50 50/100',
      'user:ada 50 60/100',
      'user:ada 80 101/100',
      'user:ada refused 101/100',
    ]);
  });

  test('a request is reserved and charged against the budgets of its team, organization and tags', async () => {
    const state = await database.open(await database.create(), { alertPolicy });
    const { budgets, identity, ledger } = state;
    const budgetOf = async (maxBudget: bigint, percent: number): Promise<string> =>
      (await budgets.create({ maxBudget, alertThresholds: [percent] })).budgetId;
    await identity.organizations.create({ id: 'acme', budgetId: await budgetOf(100n, 10) });
    const team = { id: 'research', organizationId: 'acme', budgetId: await budgetOf(50n, 20) };
    await identity.teams.create(team);
    await identity.tags.set('nightly', await budgetOf(30n, 30));
    const plain = await newSpender(identity, { userId: 'ada', teamId: 'research' });
    const spender = await identity.renew({ ...plain, tags: ['nightly'] });
    const estimate = { cost: 20n, tokens: 1, free: false };
    const held = await ledger.reserve(spender, estimate);
    expect(await identity.tags.get('nightly')).toMatchObject({ reserved: 20n });
    await expect(ledger.reserve(spender, estimate)).rejects.toMatchObject({
      message: expect.stringContaining("Tag 'nightly'"),
    });
    await ledger.settle(held, used(10n));
    expect(await identity.teams.get('research')).toMatchObject({ spent: 10n, reserved: 0n });
    expect((await raised(state)).filter((text) => !text.includes('refused'))).toEqual([
      'org:acme 10 10/100',
      'tag:nightly 30 10/30',
      'team:research 20 10/50',
    ]);
  });

  test('a key raises its own alerts, and a budget can override or disable the thresholds', async () => {
    const state = await database.open(await database.create(), { alertPolicy });
    const { budgets, identity, ledger } = state;
    const { budgetId } = await budgets.create({ maxBudget: 200n, alertThresholds: [90, 10, 10] });
    expect((await budgets.get(budgetId)).alertThresholds).toEqual([10, 90]);
    await identity.users.create({ userId: 'ada', budgetId });
    const keyBudget = { maxBudget: 40n, budgetDurationSec: null };
    const spender = await newSpender(identity, { userId: 'ada', budget: keyBudget });
    const estimate = { cost: 20n, tokens: 1, free: false };
    await ledger.settle(await ledger.reserve(spender, estimate), used(20n));
    const keyId = spender.key?.id;
    expect(await raised(state)).toEqual([`key:${keyId} 50 20/40`, 'user:ada 10 20/200'].toSorted());
    // The key has its own thresholds until they are removed.
    const alertsAt = async (alertThresholds: number[] | null): Promise<void> =>
      void (await identity.keys.change(keyId ?? '', { budget: { ...keyBudget, alertThresholds } }));
    await alertsAt([60, 70, 70]);
    expect((await identity.keys.get(keyId ?? '')).budget?.alertThresholds).toEqual([60, 70]);
    await ledger.bill(await identity.renew(spender), used(5n));
    expect((await raised(state)).filter((text) => text.startsWith('key'))).toEqual([
      `key:${keyId} 50 20/40`,
      `key:${keyId} 60 25/40`,
    ]);
    await alertsAt([]);
    await budgets.change(budgetId, { alertThresholds: [] });
    const again = await identity.renew(spender);
    await ledger.bill(again, used(165n));
    expect(await raised(state)).toHaveLength(3);
  });

  test('a batch that finishes later raises alerts for all its accounts once, in the window in which it finishes', async () => {
    const url = await database.create();
    const clock = createTestClock();
    const first = await database.open(url, { clock, alertPolicy });
    const { budgets, identity, ledger } = first;
    const budgetOf = async (maxBudget: bigint, seconds: number | null = null): Promise<string> =>
      (await budgets.create({ maxBudget, budgetDurationSec: seconds })).budgetId;
    await identity.organizations.create({ id: 'acme', budgetId: await budgetOf(100n) });
    await identity.teams.create({ id: 'research', organizationId: 'acme', budgetId: await budgetOf(110n) });
    await identity.tags.set('nightly', await budgetOf(120n));
    await identity.users.create({ userId: 'ada', budgetId: await budgetOf(130n, 3600) });
    const budget = { maxBudget: 140n, budgetDurationSec: null };
    const plain = await newSpender(identity, { userId: 'ada', teamId: 'research', budget });
    const spender = await identity.renew({ ...plain, tags: ['nightly'] });
    const estimate = { cost: 40n, tokens: 1, free: false };
    await ledger.settle(await ledger.reserve(spender, estimate), used(40n));
    const held = await ledger.keep(await ledger.reserve(spender, estimate));
    const dropped = await ledger.keep(await ledger.reserve(spender, { ...estimate, cost: 10n }));
    expect(await raised(first)).toEqual([]);
    await first.close();

    clock.advance(DAY_MS);
    const second = await database.open(url, { clock, alertPolicy });
    const third = await database.open(url, { clock, alertPolicy });
    await Promise.all([second, third, second].map((one) => one.ledger.settleHeld(held, used(35n))));
    await third.ledger.settleHeld(dropped);
    // The user's one-hour window is a different one, in which only 35 are spent.
    expect(await identitySpent(third)).toEqual(35n);
    expect(await raised(third)).toEqual(
      [
        `key:${spender.key?.id} 50 75/140`,
        'org:acme 50 75/100',
        'tag:nightly 50 75/120',
        'team:research 50 75/110',
      ].toSorted(),
    );
    expect((await third.alerts.list(PAGE)).map(({ label }) => label).toSorted()).toEqual([
      `API key '${spender.key?.prefix}'`,
      "Organization 'acme'",
      "Tag 'nightly'",
      "Team 'research'",
    ]);
  });

  test('two gateways that spend concurrently raise each alert once, and closing a gateway loses no alerts', async () => {
    const url = await database.create();
    const states = [await database.open(url, { alertPolicy }), await database.open(url, { alertPolicy })];
    const [first] = states;
    if (!first) throw new Error('no gateway');
    const { budgetId } = await first.budgets.create({ maxBudget: 100n });
    await first.identity.users.create({ userId: 'ada', budgetId });
    const { secret } = await first.identity.keys.create({ userId: 'ada' });
    const headers = new Headers({ 'x-gateway-key': `Bearer ${secret}` });
    await Promise.all(
      states.map(async ({ identity, ledger }) => {
        const spender = await identity.spender(await identity.authenticate(headers), undefined);
        for (let count = 0; count < 60; count += 1) {
          const reservation = await ledger
            .reserve(spender, { cost: 1n, tokens: 1, free: false })
            .catch(() => undefined);
          if (reservation) await ledger.settle(reservation, used(1n));
        }
      }),
    );
    for (const { close } of states) await close();
    const later = await database.open(url);
    expect(await raised(later)).toEqual([
      'user:ada 100 100/100',
      'user:ada 50 50/100',
      'user:ada 80 80/100',
      'user:ada refused 100/100',
    ]);
  });
});
