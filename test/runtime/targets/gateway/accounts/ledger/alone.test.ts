import { setImmediate as nextTurn } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { Store } from '#gateway/store/store.ts';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const PROGRAM = join(import.meta.dirname, 'spending-process.ts');
const ESTIMATE = { cost: 10n, tokens: 5, free: false };

/** The state that other processes can see. */
async function written({ db }: Store) {
  const { ledger_owner: owner } = await db
    .selectFrom('gateway_meta')
    .select('ledger_owner')
    .executeTakeFirstOrThrow();
  const reservations = await db.selectFrom('gateway_reservations').selectAll().execute();
  const account = await db
    .selectFrom('gateway_accounts')
    .selectAll()
    .where('id', '=', 'user:ada')
    .executeTakeFirst();
  return { owner, reservations, reserved: account?.reserved_nano, spent: account?.spent_nano };
}

describeDatabases((database) => {
  test.skipIf(database.kind !== 'sqlite')(
    'a process with exclusive access writes usage immediately, but reservations only when users are read from the database',
    async () => {
      const { identity, ledger, store } = await database.start();
      const spender = await newSpender(identity, { userId: 'ada' });
      const [one, other] = [await ledger.reserve(spender, ESTIMATE), await ledger.reserve(spender, ESTIMATE)];
      expect(await written(store)).toMatchObject({
        owner: expect.any(String),
        reservations: [],
        reserved: 0n,
      });
      expect((await ledger.quota(spender)).user).toMatchObject({ reserved: 20n, parallel: { used: 2 } });
      await ledger.settle(one, used(4n));
      expect(await written(store)).toMatchObject({ reservations: [], reserved: 0n, spent: 4n });
      expect((await ledger.quota(spender)).user).toMatchObject({ reserved: 10n, spent: 4n });
      // A list of users is read from the database.
      expect(await identity.users.get('ada')).toMatchObject({ reserved: 10n, spent: 4n });
      expect(await written(store)).toMatchObject({
        owner: null,
        reservations: [{ id: other.id }],
        reserved: 10n,
      });
      await ledger.release(other);
      expect(await identity.users.get('ada')).toMatchObject({ reserved: 0n, spent: 4n });
      expect((await ledger.quota(spender)).user).toMatchObject({ reserved: 0n, parallel: { used: 0 } });
    },
  );

  test('a changed budget applies on the next event loop turn while a process has exclusive access', async () => {
    const { identity, ledger, budgets } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 100n });
    await identity.users.create({ userId: 'ada', budgetId });
    const spender = await newSpender(identity, { userId: 'ada' });
    await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(10n));
    const held = await ledger.reserve(spender, ESTIMATE);
    await budgets.change(budgetId, { maxBudget: 20n });
    await nextTurn();
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({ reason: 'budget_reserved' });
    await budgets.change(budgetId, { maxBudget: 30n });
    await nextTurn();
    await ledger.release(await ledger.reserve(spender, ESTIMATE));
    await ledger.release(held);
  });

  test.skipIf(database.kind !== 'sqlite')(
    'an error reports that a stopped process has exclusive access to the ledger',
    async () => {
      const { identity, ledger, store } = await database.start();
      const spender = await newSpender(identity, { userId: 'ada' });
      const stopped = { id: 'stopped', machine: 'elsewhere', pid: 1, seen_at: Date.now() };
      await store.db.insertInto('gateway_processes').values(stopped).execute();
      await store.db.updateTable('gateway_meta').set({ ledger_owner: stopped.id }).execute();
      await expect(ledger.reserve(spender, ESTIMATE)).rejects.toThrow(
        /^Another gateway has exclusive access to the database and does not respond; after 30 s it is considered dead/,
      );
      await store.db.deleteFrom('gateway_processes').where('id', '=', stopped.id).execute();
      await ledger.release(await ledger.reserve(spender, ESTIMATE));
    },
  );

  test('a second process sees all reservations of the first process', async () => {
    const url = await database.create();
    const { identity, ledger, budgets, store, close } = await database.open(url, { clock: systemClock });
    const { budgetId } = await budgets.create({ maxBudget: 100n });
    await identity.users.create({ userId: 'ada', budgetId });
    const spender = await newSpender(identity, { userId: 'ada' });
    const held = [];
    for (let count = 0; count < 9; count += 1) held.push(await ledger.reserve(spender, ESTIMATE));
    // Ten are left: enough for one request at a time.
    const child = spawn(process.execPath, [PROGRAM, url, 'ada', '1'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await once(child, 'close');
    const { spent = 0n, reserved, reservations } = await written(store);
    expect(spent > 0n && spent <= 10n, `${spent}`).toBe(true);
    expect({ reserved, count: reservations.length }).toEqual({ reserved: 90n, count: 9 });
    await Promise.all(held.map(async (one) => await ledger.settle(one, used(1n))));
    expect(await identity.users.get('ada')).toMatchObject({ spent: spent + 9n, reserved: 0n });
    await close();
  });
});
