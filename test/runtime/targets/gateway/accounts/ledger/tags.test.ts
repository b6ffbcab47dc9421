import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { GatewayState } from '#gateway/gateway-state.ts';
import { describeDatabases } from '../../databases.ts';
import { bearer, newSpender, used } from '../../requests.ts';

const PAGE = { skip: 0, limit: 100 };
const TEN = { cost: 10n, tokens: 1, free: false };

/** Creates spenders with the tags of a request. */
async function spenders({ identity }: GatewayState, userId: string) {
  const { secret } = await identity.keys.create({ userId });
  return async (...tags: string[]) =>
    await identity.spender(await identity.authenticate(bearer(secret)), undefined, tags);
}

describeDatabases((database) => {
  test("amounts are reserved and charged against a tag's budget as for keys and users", async () => {
    const state = await database.start();
    const { budgets, identity, ledger, clock, alerts } = state;
    const { budgetId } = await budgets.create({ maxBudget: 25n, budgetDurationSec: 60 });
    expect(await identity.tags.set('search', budgetId)).toMatchObject({ tag: 'search', budgetId, spent: 0n });
    const [ada, bob] = [await spenders(state, 'ada'), await spenders(state, 'bob')];
    const first = await ledger.reserve(await ada('search', 'other'), TEN);
    const second = await ledger.reserve(await bob('search'), TEN);
    await expect(ledger.reserve(await bob('search'), TEN)).rejects.toMatchObject({
      reason: 'budget_reserved',
      message: expect.stringMatching(/^Tag 'search' has \$0\.000000005 of the budget left/),
    });
    // Requests without the tag, or with tags without a budget, are not charged to it.
    await ledger.release(await ledger.reserve(await bob('other'), TEN));
    expect(await identity.tags.get('search')).toMatchObject({ reserved: 20n, spent: 0n });
    await ledger.settle(first, used(9n));
    await ledger.release(second);
    expect(await identity.tags.list(PAGE)).toMatchObject([{ tag: 'search', reserved: 0n, spent: 9n }]);
    expect(await identity.users.get('ada')).toMatchObject({ spent: 9n, reserved: 0n });
    await ledger.settle(await ledger.reserve(await bob('search'), TEN), used(16n));
    await expect(ledger.reserve(await bob('search'), TEN)).rejects.toMatchObject({
      reason: 'budget_exceeded',
      message: "Tag 'search' has exceeded budget limit",
    });
    clock.advance(60_000);
    await ledger.release(await ledger.reserve(await bob('search'), TEN));
    expect(await identity.tags.get('search')).toMatchObject({ spent: 0n });
    expect(await alerts.list(PAGE)).toEqual([]);
  });

  test("setting, changing or removing a tag's budget applies to the next request", async () => {
    const state = await database.start();
    const { budgets, identity, ledger } = state;
    const { budgetId } = await budgets.create({ maxBudget: 25n });
    const ada = await spenders(state, 'ada');
    // Read before the tag had a budget, and refreshed by the ledger.
    const early = await ada('x/y');
    await identity.tags.set('x/y', budgetId);
    const held = await ledger.reserve(early, TEN);
    expect(await identity.tags.get('x/y')).toMatchObject({ reserved: 10n });
    await budgets.change(budgetId, { maxBudget: 5n });
    await expect(ledger.reserve(early, TEN)).rejects.toMatchObject({ reason: 'estimate_exceeds_budget' });
    await expect(budgets.delete(budgetId)).rejects.toMatchObject({
      reason: 'budget_in_use',
      message: expect.stringContaining("assigned to tag 'x/y'"),
    });
    await identity.tags.delete('x/y');
    await ledger.settle(held, used(8n));
    await ledger.release(await ledger.reserve(early, TEN));
    expect(await identity.users.get('ada')).toMatchObject({ spent: 8n, reserved: 0n });
    await budgets.delete(budgetId);
    await expect(identity.tags.get('x/y')).rejects.toMatchObject({ reason: 'tag_not_found' });
    await expect(identity.tags.set('a"b', budgetId)).rejects.toThrow(
      /^Invalid tag "a\\"b": expected 1 to 64/,
    );
    await expect(identity.tags.set('ab', 'none')).rejects.toMatchObject({ reason: 'budget_not_found' });
  });

  test("a dead gateway's reservations against a tag are released", async () => {
    const url = await database.create();
    const dying = await database.open(url);
    const { budgetId } = await dying.budgets.create({ maxBudget: 25n });
    await dying.identity.tags.set('search', budgetId);
    const ada = await spenders(dying, 'ada');
    await dying.ledger.reserve(await ada('search'), TEN);
    await dying.store.ledger.sync();
    await dying.store.db.updateTable('gateway_processes').set({ seen_at: 0, machine: 'gone' }).execute();
    const { identity } = await database.open(url);
    expect(await identity.tags.get('search')).toMatchObject({ reserved: 0n });
  });

  test('usage can be filtered and aggregated by tag', async () => {
    const state = await database.start();
    const { ledger, usage } = state;
    const ada = await spenders(state, 'ada');
    const spend = async (cost: bigint, ...tags: string[]): Promise<void> =>
      await ledger.bill(await ada(...tags), used(cost));
    await spend(1n, 'a', 'b_c');
    await spend(2n, 'a');
    await spend(4n, 'bxc');
    await spend(8n);
    const totals = async (tag: string) => (await usage.totals({ tag })).cost;
    expect(await Promise.all(['a', 'b_c', 'bxc', 'b', '%', '', 'a","b_c'].map(totals))).toEqual([
      3n,
      1n,
      4n,
      0n,
      0n,
      0n,
      0n,
    ]);
    const groups = await usage.groups({}, ['tag', 'user'], PAGE);
    expect(groups.map(({ group, cost, requests }) => [...group, cost, requests])).toEqual([
      [null, 'ada', 8n, 1],
      ['bxc', 'ada', 4n, 1],
      ['a', 'ada', 3n, 2],
      ['b_c', 'ada', 1n, 1],
    ]);
    expect((await usage.list({ tag: 'b_c' }, PAGE)).map(({ tags }) => tags)).toEqual(['["a","b_c"]']);
    let csv = '';
    for await (const line of usage.csv({ tag: 'a' })) csv += line;
    const rows: Record<string, string>[] = parse(csv, { columns: true });
    expect(rows.map(({ tags }) => `${tags}`).toSorted()).toEqual(['a', 'a,b_c']);
  });

  test('alerts for a tag include the name of the tag', async () => {
    const alertPolicy = () => ({ thresholds: [50] });
    const state = await database.open(await database.create(), { alertPolicy });
    const { budgetId } = await state.budgets.create({ maxBudget: 20n });
    await state.identity.tags.set('search', budgetId);
    await state.ledger.bill(await newSpender(state.identity), used(15n));
    const ada = await spenders(state, 'ada');
    await state.ledger.bill(await ada('search'), used(15n));
    expect(await state.alerts.list(PAGE)).toMatchObject([
      { account_id: 'tag:search', label: "Tag 'search'", threshold: 50, spent_nano: 15n },
    ]);
  });
});
