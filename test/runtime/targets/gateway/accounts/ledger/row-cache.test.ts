import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const ESTIMATE = { cost: 10n, tokens: 5, free: false };

describeDatabases((database) => {
  test('a process discards its cached account after another process has changed it', async () => {
    const { url, ...first } = await database.start();
    const second = await database.open(url);
    const { budgetId } = await first.budgets.create({ maxBudget: 1000n });
    await first.identity.users.create({ userId: 'ada', budgetId });
    for (let round = 1; round <= 12; round += 1) {
      // In turns of different lengths, so that each process sees the other's changes while it considers itself alone.
      const { identity, ledger } = round % 3 === 0 ? second : first;
      const spender = await identity.spender({ kind: 'master' }, 'ada');
      const held = await ledger.reserve(spender, ESTIMATE);
      await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(4n));
      await ledger.release(held);
      expect((await ledger.quota(spender)).user).toMatchObject({ spent: 4n * BigInt(round), reserved: 0n });
    }
    await second.budgets.change(budgetId, { maxBudget: 48n });
    const spender = await first.identity.spender({ kind: 'master' }, 'ada');
    await expect(first.ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({
      reason: 'budget_exceeded',
    });
  });

  test.skipIf(database.kind === 'sqlite')(
    'usage is still charged after another process has released its reservation, and other reservations are kept',
    async () => {
      const { identity, ledger, store } = await database.start();
      const spender = await newSpender(identity, { userId: 'ada' });
      const mine = await ledger.reserve(spender, ESTIMATE);
      // The account is unchanged, with another reservation of the same amount.
      await store.db
        .updateTable('gateway_reservations')
        .set({ id: 'theirs' })
        .where('id', '=', mine.id)
        .execute();
      await ledger.settle(mine, used(4n));
      expect((await ledger.quota(spender)).user).toMatchObject({ spent: 4n, reserved: 10n });
    },
  );
});
