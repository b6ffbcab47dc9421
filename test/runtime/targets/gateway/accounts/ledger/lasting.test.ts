import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';
import { ownerNamed, viewerNamed } from '../../owners.ts';

const estimate = { cost: 60n, tokens: 0, free: false };

describeDatabases((database) => {
  test('a persisted reservation outlives its gateway, does not count as a running request, and is settled once', async () => {
    const first = await database.start();
    const { budgetId } = await first.budgets.create({ maxBudget: 100n });
    await first.identity.users.create({ userId: 'ada', budgetId, maxParallel: 1, tpm: 10 });
    const spender = await newSpender(first.identity, { userId: 'ada' });
    const held = await first.ledger.keep(await first.ledger.reserve(spender, estimate));
    // One request at a time is allowed, and 40 of the budget are left.
    await first.ledger.release(await first.ledger.reserve(spender, { ...estimate, cost: 40n }));
    await expect(first.ledger.reserve(spender, { ...estimate, cost: 41n })).rejects.toThrow(/budget/i);
    await first.close();

    const [second, third] = [await database.open(first.url), await database.open(first.url)];
    const stateOf = async () => {
      const { spent, reserved } = await second.identity.users.get('ada');
      return {
        spent,
        reserved,
        ...(await second.ledger.quota(await second.identity.renew(spender))).user.parallel,
      };
    };
    expect(await stateOf()).toMatchObject({ spent: 0n, reserved: 60n, used: 0 });
    await Promise.all([
      second.ledger.settleHeld(held, used(20n)),
      third.ledger.settleHeld(held, used(20n)),
      second.ledger.settleHeld(held, used(20n)),
    ]);
    expect(await stateOf()).toMatchObject({ spent: 20n, reserved: 0n, used: 0 });
    expect(await second.usage.list({ userId: 'ada' }, { skip: 0, limit: 10 })).toHaveLength(1);
    await third.ledger.settleHeld(held);
    expect(await stateOf()).toMatchObject({ spent: 20n, reserved: 0n, used: 0 });
  });

  test('settling a persisted reservation releases it from all its accounts and records its tags', async () => {
    const { url, budgets, identity, ledger, usage } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 100n });
    await identity.teams.create({ id: 'research', budgetId });
    await identity.tags.set('nightly', budgetId);
    const plain = await newSpender(identity, { userId: 'ada', teamId: 'research' });
    const spender = await identity.renew({ ...plain, tags: ['nightly'] });
    const held = await ledger.keep(await ledger.reserve(spender, estimate));
    expect(await identity.tags.get('nightly')).toMatchObject({ reserved: 60n });
    const other = await database.open(url);
    await other.ledger.settleHeld(held, used(20n));
    for (const account of [
      await other.identity.users.get('ada'),
      await other.identity.teams.get('research'),
      await other.identity.tags.get('nightly'),
    ])
      expect(account).toMatchObject({ spent: 20n, reserved: 0n });
    expect(await usage.list({ tag: 'nightly', teamId: 'research' }, { skip: 0, limit: 10 })).toHaveLength(1);
  });

  test('each stored object has one owner and is claimed by one gateway at a time, and lists of stored objects are paginated', async () => {
    const { objects, clock, identity, ledger } = await database.start();
    const spender = await newSpender(identity, { userId: 'ada' });
    const held = await ledger.keep(await ledger.reserve(spender, estimate));
    const lost = await ledger.keep(await ledger.reserve(spender, estimate));
    const batch = {
      kind: 'batch',
      id: 'batch_1',
      provider: 'openai',
      providerKey: null,
      userId: 'ada',
      space: ownerNamed('ada').space,
      keyId: held.keyId,
      model: 'openai:small',
      createdAt: clock.wholeNow(),
      content: { id: 'batch_1', output_file_id: 'file-o' },
      plan: {
        endpoint: '/v1/embeddings',
        model: 'openai:small',
        requests: 1,
        inputTokens: 2,
        outputTokens: 0,
      },
      held,
    } as const;
    await objects.add(batch);
    expect(await objects.find('batch', 'batch_1')).toEqual(batch);
    await expect(objects.add({ ...batch, userId: 'bob' })).rejects.toThrow(/in use/);
    await expect(objects.require('batch', 'batch_1', viewerNamed('bob'))).rejects.toThrow(
      "No batch with id 'batch_1'.",
    );
    expect(await objects.unpaidWith('file-o')).toHaveLength(1);
    expect(await objects.unpaidWith('file_o')).toHaveLength(0);
    const taken = await Promise.all(
      [1, 2, 3].map(() => objects.takeUnpaid('batch', clock.wholeNow() - 1000)),
    );
    expect(taken.flat()).toHaveLength(1);
    clock.advance(2000);
    expect(await objects.takeUnpaid('batch', clock.wholeNow() - 1000)).toHaveLength(1);
    expect(await objects.lostHolds(clock.wholeNow() + 1)).toEqual([lost]);
    await objects.paid(batch);
    expect(await objects.takeUnpaid('batch', clock.wholeNow() + 1)).toEqual([]);

    const file = { ...batch, kind: 'file', plan: undefined, held: undefined } as const;
    const files = ['a', 'b', 'c'].map((id, nth) => ({ ...file, id, createdAt: nth < 2 ? 5 : 6 }));
    await objects.addMissing([...files, ...files]);
    const idsOf = async (page: Parameters<typeof objects.list>[2]) =>
      (await objects.list('file', viewerNamed('ada'), page)).map(({ id }) => id);
    expect(await idsOf({ limit: 2 })).toEqual(['c', 'b', 'a']);
    expect(await idsOf({ limit: 2, after: 'c' })).toEqual(['b', 'a']);
    expect(await idsOf({ limit: 2, after: 'a', isOldestFirst: true })).toEqual(['b', 'c']);
    expect(await objects.list('file', viewerNamed('bob'), { limit: 2 })).toEqual([]);
    await objects.delete({ kind: 'file', id: 'b' });
    expect(await idsOf({ limit: 5, purpose: 'batch' })).toEqual([]);
  });
});
