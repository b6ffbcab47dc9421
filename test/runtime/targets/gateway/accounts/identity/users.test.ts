import { expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { describeDatabases } from '../../databases.ts';
import { bearer, newSpender, used } from '../../requests.ts';

const PAGE = { skip: 0, limit: 100 };

describeDatabases((database) => {
  test('a user is created once, with all the given properties', async () => {
    const { identity, budgets, clock } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 100n, budgetDurationSec: 60 });
    const user = await identity.users.create({
      userId: 'ada',
      alias: 'Ada',
      budgetId,
      metadata: { team: 1 },
    });
    expect(user).toEqual({
      userId: 'ada',
      alias: 'Ada',
      spent: 0n,
      reserved: 0n,
      budgetId,
      budgetStartedAt: clock.wholeNow(),
      nextBudgetResetAt: clock.wholeNow() + 60_000,
      blocked: false,
      createdAt: clock.wholeNow(),
      updatedAt: clock.wholeNow(),
      metadata: { team: 1 },
      rpm: null,
      tpm: null,
      maxParallel: null,
      queueSec: null,
      priority: null,
      noShadow: false,
      role: 'member',
      teamId: null,
    });
    await expect(identity.users.create({ userId: 'ada' })).rejects.toMatchObject({
      code: 'ConflictError',
      message: "User with id 'ada' already exists",
      reason: 'user_exists',
    });
  });

  test('only one of several concurrent requests to create the same user succeeds', async () => {
    const { identity, url } = await database.start();
    const other = await database.open(url);
    const makers = [identity, other.identity, identity, other.identity];
    const results = await Promise.allSettled(
      makers.map(async ({ users }) => await users.create({ userId: 'ada' })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as AppError] : [],
    );
    expect(reasons.map(({ code }) => code)).toEqual(Array(3).fill('ConflictError'));
  });

  test('an update keeps absent fields and clears fields set to null', async () => {
    const { identity, budgets, clock } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 100n });
    await identity.users.create({ userId: 'ada', alias: 'Ada', rpm: 3 });
    clock.advance(5);
    expect(await identity.users.change('ada', { budgetId, blocked: true })).toMatchObject({
      alias: 'Ada',
      rpm: 3,
      budgetId,
      blocked: true,
      budgetStartedAt: clock.wholeNow(),
      nextBudgetResetAt: null,
      updatedAt: clock.wholeNow(),
    });
    expect(
      await identity.users.change('ada', { budgetId: null, alias: null, rpm: null, blocked: false }),
    ).toMatchObject({
      alias: null,
      rpm: null,
      budgetId: null,
      blocked: false,
      budgetStartedAt: null,
    });
  });

  test('deleting a user deletes its keys and keeps its usage, and a recreated user starts with no spending', async () => {
    const { identity, ledger, usage } = await database.start();
    const { secret } = await identity.keys.create({ userId: 'ada' });
    const spender = await identity.spender(await identity.authenticate(bearer(secret)), undefined);
    await ledger.settle(await ledger.reserve(spender, { cost: 5n, tokens: 1, free: false }), used(5n));
    await identity.users.delete('ada');
    await expect(identity.authenticate(bearer(secret))).rejects.toMatchObject({
      message: 'API key is inactive',
    });
    await expect(identity.users.get('ada')).rejects.toMatchObject({
      message: "User with id 'ada' not found",
    });
    expect(await identity.users.list(PAGE)).toEqual([]);
    expect(await usage.totals({ userId: 'ada' })).toMatchObject({ requests: 1, cost: 5n });
    expect(await identity.users.create({ userId: 'ada', alias: 'again' })).toMatchObject({
      alias: 'again',
      spent: 0n,
    });
    await expect(identity.authenticate(bearer(secret))).rejects.toMatchObject({
      message: 'API key is inactive',
    });
  });

  test('an unknown user is reported as not found', async () => {
    const { identity } = await database.start();
    for (const userId of ['nobody', '\0', '\ud800', "'; drop table gateway_users; --"]) {
      await expect(identity.users.get(userId)).rejects.toMatchObject({ code: 'NotFoundError' });
      await expect(identity.users.change(userId, {})).rejects.toMatchObject({ code: 'NotFoundError' });
      await expect(identity.users.delete(userId)).rejects.toMatchObject({ code: 'NotFoundError' });
      await expect(identity.spender({ kind: 'master' }, userId)).rejects.toMatchObject({
        message: `User '${userId}' not found`,
      });
    }
    await expect(identity.users.create({ userId: 'ada', budgetId: 'none' })).rejects.toMatchObject({
      code: 'NotFoundError',
      message: "Budget with id 'none' not found",
    });
    expect(await identity.users.list(PAGE)).toEqual([]);
  });

  test('a user ID that cannot be stored is rejected', async () => {
    const { identity } = await database.start();
    for (const userId of ['', '\0', '\udfff', 'x'.repeat(257)]) {
      await expect(identity.users.create({ userId })).rejects.toMatchObject({ code: 'InputError' });
    }
    const odd = 'ünï "quoted" 😀 %_';
    expect((await identity.users.create({ userId: odd, alias: 'zero \0' })).userId).toBe(odd);
    expect((await identity.users.get(odd)).alias).toBe('zero \uFFFD');
  });

  test('users are listed in creation order, with pagination', async () => {
    const { identity, clock } = await database.start();
    for (const userId of ['c', 'a', 'b']) {
      await identity.users.create({ userId });
      clock.advance(1);
    }
    expect((await identity.users.list(PAGE)).map(({ userId }) => userId)).toEqual(['c', 'a', 'b']);
    expect((await identity.users.list({ skip: 2, limit: 5 })).map(({ userId }) => userId)).toEqual(['b']);
  });

  test("a request is charged to the user named with the master key or to the key's own user, and rejected if that user is blocked", async () => {
    const { identity } = await database.start();
    await identity.users.create({ userId: 'ada' });
    expect(await identity.spender({ kind: 'master' }, 'ada')).toMatchObject({
      user: { userId: 'ada' },
      key: undefined,
    });
    await expect(identity.spender({ kind: 'master' }, undefined)).rejects.toMatchObject({
      code: 'MalformedError',
      message: "When using master key, 'user' field is required in request body",
      reason: 'user_required',
    });
    const { secret } = await identity.keys.create({ userId: 'ada' });
    const caller = await identity.authenticate(bearer(secret));
    expect((await identity.spender(caller, 'ada')).user.userId).toBe('ada');
    await expect(identity.spender(caller, 'eve')).rejects.toMatchObject({
      code: 'ForbiddenError',
      reason: 'user_mismatch',
    });
    await identity.users.change('ada', { blocked: true });
    const blocked = { code: 'ForbiddenError', message: "User 'ada' is blocked", reason: 'user_blocked' };
    await expect(identity.spender({ kind: 'master' }, 'ada')).rejects.toMatchObject(blocked);
    await expect(identity.authenticate(bearer(secret))).rejects.toMatchObject(blocked);
  });

  test('a reactivated key is rejected if its user was deleted', async () => {
    const { identity } = await database.start();
    const { key, secret } = await identity.keys.create({ userId: 'ada' });
    await identity.users.delete('ada');
    await expect(identity.authenticate(bearer(secret))).rejects.toMatchObject({ reason: 'inactive_key' });
    await identity.keys.change(key.id, { isActive: true });
    await expect(identity.authenticate(bearer(secret))).rejects.toMatchObject({
      code: 'NotFoundError',
      message: "User 'ada' not found",
      reason: 'user_not_found',
    });
  });

  test('a key can use only its allowed models', async () => {
    const { identity } = await database.start();
    const spender = await newSpender(identity, { allowedModels: ['openai:*', 'anthropic:small'] });
    for (const model of ['openai:large', 'OpenAI:x', 'anthropic:small'])
      identity.requireModel(spender, model);
    expect(() => identity.requireModel(spender, 'anthropic:large')).toThrow(
      expect.objectContaining({ code: 'ForbiddenError', reason: 'model_not_allowed' }),
    );
    const none = await newSpender(identity, { allowedModels: [] });
    expect(() => identity.requireModel(none, 'openai:large')).toThrow("Model 'openai:large' is not allowed");
    identity.requireModel(await newSpender(identity), 'anything');
  });
});
