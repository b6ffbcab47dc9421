import { expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { describeDatabases } from '../../databases.ts';
import { bearer, newSpender, used } from '../../requests.ts';

const ESTIMATE = { cost: 1n, tokens: 10, free: false };

describeDatabases((database) => {
  test('the smaller budget of a team and its organization limits how many of 200 concurrent requests on two gateways are admitted', async () => {
    const first = await database.start();
    const { identity, budgets, usage, url, clock, store } = first;
    const second = await database.open(url, { clock });
    const ledgers = [first.ledger, second.ledger] as const;
    const budgetOf = async (maxBudget: bigint) => (await budgets.create({ maxBudget })).budgetId;
    await identity.organizations.create({ id: 'acme', budgetId: await budgetOf(1000n) });
    await identity.teams.create({ id: 'wide', organizationId: 'acme', budgetId: await budgetOf(1000n) });
    await identity.teams.create({ id: 'narrow', organizationId: 'acme', budgetId: await budgetOf(10n) });
    const spendersOf = async (teamId: string) => [
      await newSpender(identity, { userId: 'ada', teamId }),
      await newSpender(identity, { userId: 'bob', teamId }),
    ];
    /** Results of 200 requests from two users, counted by outcome. */
    const spend = async (teamId: string, reason: string): Promise<number> => {
      const spenders = await spendersOf(teamId);
      const results = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const ledger = ledgers[index % 2] ?? first.ledger;
          const spender = spenders[Math.floor(index / 2) % 2];
          if (!spender) throw new Error('no spender');
          try {
            return await ledger.reserve(spender, ESTIMATE);
          } catch (error) {
            return (error as AppError).reason;
          }
        }),
      );
      const granted = results.filter((one) => typeof one === 'object');
      expect(new Set(results.filter((one) => typeof one !== 'object'))).toEqual(new Set([reason]));
      expect(await identity.teams.get(teamId)).toMatchObject({ reserved: BigInt(granted.length) });
      await Promise.all(
        granted.map(async (one, index) => await (ledgers[index % 2] ?? first.ledger).settle(one, used(1n))),
      );
      return granted.length;
    };
    expect(await spend('narrow', 'budget_reserved')).toBe(10);
    // The organization's budget is the smallest one for the other team: 10 of it are spent.
    await identity.organizations.change('acme', { budgetId: await budgetOf(25n) });
    expect(await spend('wide', 'budget_reserved')).toBe(15);
    expect(await identity.teams.get('narrow')).toMatchObject({ spent: 10n, reserved: 0n });
    expect(await identity.organizations.get('acme')).toMatchObject({ spent: 25n, reserved: 0n });
    expect(await store.db.selectFrom('gateway_reservations').selectAll().execute()).toEqual([]);
    // Without a team, only the user's own limits apply.
    const alone = await newSpender(identity, { userId: 'ada' });
    await first.ledger.settle(await first.ledger.reserve(alone, ESTIMATE), used(1n));
    const page = { skip: 0, limit: 10 };
    const groups = await usage.groups({}, ['organization', 'team'], page);
    expect(groups.map(({ group, cost }) => [...group, cost])).toEqual([
      ['acme', 'wide', 15n],
      ['acme', 'narrow', 10n],
      [null, null, 1n],
    ]);
    const ofUsers = await Promise.all(
      ['ada', 'bob'].map(async (userId) => await usage.totals({ organizationId: 'acme', userId })),
    );
    expect(ofUsers.reduce((sum, { cost }) => sum + cost, 0n)).toBe(25n);
  });

  test("a dead process's reservations against a team are released", async () => {
    const { identity, ledger, store, url } = await database.start();
    await identity.teams.create({ id: 'research', maxParallel: 1 });
    const spender = await newSpender(identity, { userId: 'ada', teamId: 'research' });
    const reservation = await ledger.reserve(spender, ESTIMATE);
    await store.db.updateTable('gateway_processes').set({ seen_at: 0 }).execute();
    const other = await database.open(url);
    expect(await other.identity.teams.get('research')).toMatchObject({ reserved: 0n });
    await ledger.settle(reservation, used(5n));
    expect(await identity.teams.get('research')).toMatchObject({ spent: 5n, reserved: 0n });
  });

  test("a team's rate limits, allowed models, blocking and deletion apply to all its keys", async () => {
    const { identity, ledger, usage } = await database.start();
    await identity.organizations.create({ id: 'acme', allowedModels: ['openai:*', 'mistral:*'] });
    await identity.teams.create({ id: 'research', organizationId: 'acme', rpm: 2 });
    const create = async (userId: string) =>
      await identity.keys.create({ userId, teamId: 'research', allowedModels: ['openai:*', 'xai:*'] });
    const { secret, key } = await create('ada');
    const spender = async () =>
      await identity.spender(await identity.authenticate(bearer(secret)), undefined);
    const other = await newSpender(identity, { userId: 'bob', teamId: 'research' });
    expect((await identity.members.list('research')).map(({ userId, role }) => [userId, role])).toEqual([
      ['ada', 'member'],
      ['bob', 'member'],
    ]);
    for (const one of [await spender(), other])
      await ledger.settle(await ledger.reserve(one, ESTIMATE), used(1n));
    await expect(ledger.reserve(other, ESTIMATE)).rejects.toMatchObject({ reason: 'rate_limited' });
    const quota = await ledger.quota(await spender());
    expect(quota.shared.map(({ account, state }) => [account, state.spent, state.requests.used])).toEqual([
      ['team:research', 2n, 2],
      ['org:acme', 2n, 0],
    ]);

    await identity.teams.change('research', { allowedModels: ['openai:*'], rpm: null });
    const of = await spender();
    expect(() => identity.requireModel(of, 'openai:small')).not.toThrow();
    expect(() => identity.requireModel(of, 'mistral:small')).toThrow(/not allowed for this API key/);
    expect(() => identity.requireModel(other, 'xai:small')).toThrow(
      "Model 'xai:small' is not allowed for organization 'acme'",
    );

    await identity.organizations.change('acme', { blocked: true });
    await expect(spender()).rejects.toMatchObject({ reason: 'organization_blocked' });
    await expect(ledger.reserve(of, ESTIMATE)).rejects.toMatchObject({ reason: 'organization_blocked' });
    await identity.organizations.change('acme', { blocked: false });
    await identity.teams.change('research', { blocked: true });
    await expect(spender()).rejects.toMatchObject({ message: "Team 'research' is blocked" });
    await identity.teams.change('research', { blocked: false });

    // A reservation is settled even if its team was deleted or recreated.
    const late = await ledger.reserve(of, ESTIMATE);
    await identity.teams.delete('research');
    await expect(spender()).rejects.toMatchObject({ reason: 'inactive_key' });
    const enabled = identity.keys.change(key.id, { isActive: true });
    await expect(enabled).rejects.toMatchObject({ reason: 'not_a_member' });
    await identity.teams.create({ id: 'research' });
    await ledger.settle(late, used(3n));
    expect(await identity.teams.get('research')).toMatchObject({ spent: 3n, reserved: 0n });
    expect((await usage.totals({ teamId: 'research' })).cost).toBe(5n);
  });

  test('jobs are charged to the team of the key that created them', async () => {
    const { identity, ledger } = await database.start();
    await identity.teams.create({ id: 'research', blocked: false });
    await identity.users.create({ userId: 'ada' });
    const payer = { kind: 'work', userId: 'ada', teamId: 'research', keyId: null, jobId: 'job' } as const;
    await expect(identity.spender(payer, undefined)).rejects.toMatchObject({ reason: 'not_a_member' });
    await identity.members.put('research', 'ada', 'member');
    const spender = await identity.spender(payer, undefined);
    // Changed meanwhile, so that the ledger reads the spender again.
    await identity.users.change('ada', { alias: 'Ada' });
    await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(2n));
    expect(await identity.teams.get('research')).toMatchObject({ spent: 2n });
    await identity.teams.change('research', { blocked: true });
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({ reason: 'team_blocked' });
  });

  test('organizations, teams, members and service accounts are created, updated and deleted', async () => {
    const { identity, budgets } = await database.start();
    const { organizations, teams, members, users, keys } = identity;
    await organizations.create({ id: 'acme' });
    await teams.create({ id: 'research', organizationId: 'acme' });
    await expect(organizations.delete('acme')).rejects.toMatchObject({ reason: 'organization_in_use' });
    await expect(teams.create({ id: 'research' })).rejects.toMatchObject({ reason: 'team_exists' });
    await expect(teams.create({ id: 'x', organizationId: 'no' })).rejects.toMatchObject({
      message: "Organization with id 'no' not found",
    });
    const { budgetId } = await budgets.create({ maxBudget: 5n });
    await teams.change('research', { budgetId });
    await expect(budgets.delete(budgetId)).rejects.toMatchObject({ reason: 'budget_in_use' });

    await users.create({ userId: 'ada' });
    await users.create({ userId: 'bot', teamId: 'research' });
    for (const [work, message] of [
      [() => members.put('no', 'ada', 'admin'), /Team with id 'no' not found/],
      [() => members.put('research', 'eve', 'admin'), /User with id 'eve' not found/],
      [() => members.put('research', 'bot', 'admin'), /is a service account of team 'research'/],
      [() => members.remove('research', 'ada'), /is not a member of team/],
      [() => users.create({ userId: 'b2', teamId: 'research', role: 'admin' }), /has the role member/],
      [() => users.change('bot', { role: 'admin' }), /has the role member/],
      [
        () => keys.create({ userId: 'bot', scope: 'manage', teamId: 'research' }),
        /team_id requires a key with the scope models/,
      ],
      [() => keys.create({ userId: 'ada', scope: 'manage', rpm: 5 }), /rpm requires a key/],
    ] as const)
      await expect(work()).rejects.toThrow(message);
    await members.put('research', 'ada', 'admin');
    // Another key of a member keeps the role.
    const { key } = await keys.create({ userId: 'ada', teamId: 'research' });
    expect(await members.ofUser('ada')).toMatchObject([{ teamId: 'research', role: 'admin' }]);
    await members.remove('research', 'ada');
    expect(await keys.get(key.id)).toMatchObject({ isActive: false });

    await expect(newSpender(identity, { userId: 'bot' })).rejects.toThrow(/Set team_id to 'research'/);
    const own = await newSpender(identity, { userId: 'bot', teamId: 'research' });
    expect(own.groups.map(({ account }) => account)).toEqual(['team:research', 'org:acme']);
    await teams.create({ id: 'other' });
    await expect(keys.create({ userId: 'bot', teamId: 'other' })).rejects.toThrow(
      /cannot have keys for team/,
    );
    await teams.delete('research');
    await expect(users.get('bot')).rejects.toMatchObject({ reason: 'user_not_found' });
    await organizations.delete('acme');
    await expect(organizations.get('acme')).rejects.toMatchObject({ reason: 'organization_not_found' });
  });
});
