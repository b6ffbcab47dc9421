import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const PAGE = { skip: 0, limit: 100 };
const ESTIMATE = { cost: 40n, tokens: 10, free: false };

describeDatabases((database) => {
  test('budgets can be created, updated and listed, but a budget in use cannot be deleted', async () => {
    const { budgets, identity, clock } = await database.start();
    const first = await budgets.create({
      name: 'small',
      maxBudget: 5_000_000_000n,
      budgetDurationSec: 86_400,
    });
    clock.advance(1);
    const second = await budgets.create({});
    expect(second).toMatchObject({ name: null, maxBudget: null, budgetDurationSec: null });
    expect(await budgets.change(first.budgetId, { maxBudget: null })).toMatchObject({
      name: 'small',
      maxBudget: null,
      budgetDurationSec: 86_400,
      updatedAt: Math.floor(clock.now()),
    });
    expect((await budgets.list(PAGE)).map(({ budgetId }) => budgetId)).toEqual([
      first.budgetId,
      second.budgetId,
    ]);
    await identity.users.create({ userId: 'ada', budgetId: first.budgetId });
    await expect(budgets.delete(first.budgetId)).rejects.toMatchObject({
      code: 'ConflictError',
      reason: 'budget_in_use',
    });
    await identity.users.delete('ada');
    await budgets.delete(first.budgetId);
    for (const id of [first.budgetId, 'none', '\0']) {
      await expect(budgets.get(id)).rejects.toMatchObject({
        code: 'NotFoundError',
        message: `Budget with id '${id}' not found`,
      });
    }
    await expect(budgets.create({ maxBudget: -1n })).rejects.toMatchObject({ code: 'InputError' });
  });

  test('a calendar budget resets at the start of each month in its time zone', async () => {
    const { budgets, identity, ledger, clock } = await database.start();
    const { budgetId } = await budgets.create({
      maxBudget: 100n,
      calendar: 'month',
      timeZone: 'Europe/Berlin',
    });
    await identity.users.create({ userId: 'ada', budgetId });
    const ends = async () => (await identity.users.get('ada')).nextBudgetResetAt;
    // Berlin is two hours ahead in summer.
    const april = Date.parse('2026-03-31T22:00:00Z');
    expect(await ends()).toBe(april);
    const spender = await newSpender(identity, { userId: 'ada' });
    await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(90n));
    clock.advance(april - Math.floor(clock.now()) - 1);
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({
      reason: 'estimate_exceeds_budget',
    });
    clock.advance(1);
    await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(5n));
    // Late in the window, so that the next one does not depend on when a request arrives.
    expect(await identity.users.get('ada')).toMatchObject({ spent: 5n, budgetStartedAt: april });
    expect(await ends()).toBe(Date.parse('2026-04-30T22:00:00Z'));
    expect(await budgets.resets(PAGE)).toMatchObject([{ userId: 'ada', previousSpend: 90n, resetAt: april }]);
    const refused: readonly (readonly [object, RegExp])[] = [
      [{ budgetDurationSec: 60 }, /calendar and budget_duration_sec are mutually exclusive/],
      [{ timeZone: 'Berlin' }, /"Berlin" is not a time zone/],
      [{ calendar: null, timeZone: 'UTC', budgetDurationSec: null, maxBudget: -1n }, /negative/],
    ];
    for (const [changes, message] of refused)
      await expect(budgets.change(budgetId, changes)).rejects.toThrow(message);
    expect(await budgets.change(budgetId, { calendar: null, budgetDurationSec: 60 })).toMatchObject({
      calendar: null,
      budgetDurationSec: 60,
    });
  });

  test('a user can spend up to the budget, and can still use free models afterwards', async () => {
    const { budgets, identity, ledger } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 100n });
    await identity.users.create({ userId: 'ada', budgetId });
    const spender = await newSpender(identity, { userId: 'ada' });
    for (const cost of [60n, 40n]) await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(cost));
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({
      code: 'ForbiddenError',
      message: "User 'ada' has exceeded budget limit",
      reason: 'budget_exceeded',
    });
    await ledger.settle(await ledger.reserve(spender, { ...ESTIMATE, cost: 0n, free: true }), used(0n));
    expect(await identity.users.get('ada')).toMatchObject({ spent: 100n, reserved: 0n });
    // A higher amount applies immediately.
    await budgets.change(budgetId, { maxBudget: 140n });
    await ledger.release(await ledger.reserve(spender, ESTIMATE));
  });

  test('a request that exceeds the unreserved rest of a budget is rejected by every process until reservations are settled', async () => {
    const { budgets, identity, ledger, url, clock } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 100n });
    await identity.users.create({ userId: 'ada', budgetId });
    const spender = await newSpender(identity, { userId: 'ada' });
    await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(15n));
    const held = [await ledger.reserve(spender, ESTIMATE), await ledger.reserve(spender, ESTIMATE)];
    const refusal = {
      code: 'OverloadedError',
      reason: 'budget_reserved',
      message:
        "User 'ada' has $0.000000005 of the budget left while $0.00000008 is reserved for requests in flight, and this request can cost up to $0.00000004. Retry when those requests have finished.",
      retryAfterSeconds: 5,
    };
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject(refusal);
    // A request that still fits is admitted.
    await ledger.release(await ledger.reserve(spender, { ...ESTIMATE, cost: 5n }));
    const other = await database.open(url, { clock });
    await expect(other.ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject(refusal);
    for (const one of held) await ledger.settle(one, used(1n));
    await other.ledger.settle(await other.ledger.reserve(spender, ESTIMATE), used(40n));
    expect(await identity.users.get('ada')).toMatchObject({ spent: 57n, reserved: 0n });
  });

  test('a request that exceeds the whole budget is rejected without Retry-After, regardless of reservations', async () => {
    const { budgets, identity, ledger } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 100n });
    await identity.users.create({ userId: 'ada', budgetId });
    const spender = await newSpender(identity, { userId: 'ada' });
    const large = { ...ESTIMATE, cost: 101n };
    const tooLarge = {
      code: 'ForbiddenError',
      reason: 'estimate_exceeds_budget',
      message:
        "User 'ada' has a budget of $0.0000001, and this request can cost up to $0.000000101. Lower its maximum output tokens, or raise the budget.",
    };
    await expect(ledger.reserve(spender, large)).rejects.toMatchObject(tooLarge);
    const held = await ledger.reserve(spender, ESTIMATE);
    await expect(ledger.reserve(spender, large)).rejects.toMatchObject(tooLarge);
    await ledger.settle(held, used(61n));
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({
      code: 'ForbiddenError',
      reason: 'estimate_exceeds_budget',
      message:
        "User 'ada' has $0.000000039 of the budget left, and this request can cost up to $0.00000004. Lower its maximum output tokens, or raise the budget.",
    });
    await ledger.release(await ledger.reserve(spender, { ...ESTIMATE, cost: 39n }));
  });

  test("an exhausted key budget is reported even if the rest of its user's budget is reserved", async () => {
    const { budgets, identity, ledger } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 50n });
    await identity.users.create({ userId: 'ada', budgetId });
    const budget = { maxBudget: 40n, budgetDurationSec: null };
    const spent = await newSpender(identity, { userId: 'ada', keyName: 'ci', budget });
    await ledger.settle(await ledger.reserve(spent, ESTIMATE), used(40n));
    await budgets.change(budgetId, { maxBudget: 90n });
    const other = await newSpender(identity, { userId: 'ada' });
    await ledger.reserve(other, ESTIMATE);
    await expect(ledger.reserve(other, ESTIMATE)).rejects.toMatchObject({
      reason: 'budget_reserved',
    });
    const renewed = await identity.renew(spent);
    await expect(ledger.reserve(renewed, ESTIMATE)).rejects.toMatchObject({
      reason: 'budget_exceeded',
    });
  });

  test('a window resets on the first request after it ends, separately for each user', async () => {
    const { budgets, identity, ledger, clock } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: 50n, budgetDurationSec: 60 });
    await identity.users.create({ userId: 'ada', budgetId });
    clock.advance(30_000);
    await identity.users.create({ userId: 'bob', budgetId });
    const ada = await newSpender(identity, { userId: 'ada' });
    const bob = await newSpender(identity, { userId: 'bob' });
    for (const spender of [ada, bob]) await ledger.settle(await ledger.reserve(spender, ESTIMATE), used(50n));
    clock.advance(29_999);
    await expect(ledger.reserve(ada, ESTIMATE)).rejects.toMatchObject({
      reason: 'budget_exceeded',
    });
    clock.advance(11);
    expect(await identity.users.get('ada')).toMatchObject({
      spent: 0n,
      nextBudgetResetAt: Math.floor(clock.now()) - 10,
    });
    await ledger.settle(await ledger.reserve(ada, ESTIMATE), used(7n));
    await expect(ledger.reserve(bob, ESTIMATE)).rejects.toMatchObject({
      reason: 'budget_exceeded',
    });
    expect(await identity.users.get('ada')).toMatchObject({
      spent: 7n,
      budgetStartedAt: Math.floor(clock.now()),
      nextBudgetResetAt: Math.floor(clock.now()) + 60_000,
    });
    const resets = [
      {
        userId: 'ada',
        previousSpend: 50n,
        resetAt: Math.floor(clock.now()),
        nextResetAt: Math.floor(clock.now()) + 60_000,
      },
    ];
    expect(await budgets.resets(PAGE)).toMatchObject(resets);
    expect(await budgets.resets(PAGE, 'ada')).toMatchObject(resets);
    expect(await budgets.resets(PAGE, 'bob')).toEqual([]);
  });

  test('spending is tracked but not limited by a budget without an amount, and for users without a budget', async () => {
    const { budgets, identity, ledger } = await database.start();
    const { budgetId } = await budgets.create({ maxBudget: null, budgetDurationSec: 60 });
    await identity.users.create({ userId: 'ada', budgetId });
    for (const spender of [await newSpender(identity, { userId: 'ada' }), await newSpender(identity)]) {
      for (let count = 0; count < 3; count += 1) {
        await ledger.settle(
          await ledger.reserve(spender, { ...ESTIMATE, cost: 10n ** 17n }),
          used(10n ** 17n),
        );
      }
      expect((await ledger.quota(spender)).user).toMatchObject({
        spent: 3n * 10n ** 17n,
        maxBudget: null,
        remaining: null,
      });
    }
  });

  test("a key's own budget limits that key and no other key of the user", async () => {
    const { identity, ledger } = await database.start();
    const small = await newSpender(identity, {
      userId: 'ada',
      keyName: 'ci',
      budget: { maxBudget: 10n, budgetDurationSec: null },
    });
    const large = await newSpender(identity, { userId: 'ada' });
    await ledger.settle(await ledger.reserve(small, { ...ESTIMATE, cost: 10n }), used(10n));
    await expect(ledger.reserve(small, ESTIMATE)).rejects.toMatchObject({
      message: "API key 'ci' has exceeded budget limit",
    });
    await ledger.settle(await ledger.reserve(large, ESTIMATE), used(10n));
    expect(await identity.users.get('ada')).toMatchObject({ spent: 20n });
    expect(await ledger.quota(small)).toMatchObject({
      user: { spent: 20n, remaining: null },
      key: { spent: 10n, maxBudget: 10n, remaining: 0n, reserved: 0n },
    });
  });
});
