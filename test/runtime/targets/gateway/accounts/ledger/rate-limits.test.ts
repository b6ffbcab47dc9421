import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const ESTIMATE = { cost: 1n, tokens: 100, free: false };

describeDatabases((database) => {
  test('limits requests per minute, and reports the remaining requests and the reset time', async () => {
    const { identity, ledger, clock } = await database.start();
    const spender = await newSpender(identity, { rpm: 3 });
    const remaining: unknown[] = [];
    for (let count = 0; count < 3; count += 1) {
      const reservation = await ledger.reserve(spender, ESTIMATE);
      remaining.push(reservation.rate?.remaining);
      await ledger.settle(reservation, used(1n));
    }
    expect(remaining).toEqual([2, 1, 0]);
    const error = await ledger.reserve(spender, ESTIMATE).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'OverloadedError',
      message: 'Rate limit exceeded',
      reason: 'rate_limited',
    });
    const { retryAfterSeconds = 0 } = error as { retryAfterSeconds?: number };
    expect(retryAfterSeconds).toBeGreaterThan(55);
    clock.advance(retryAfterSeconds * 1000);
    expect((await ledger.reserve(spender, ESTIMATE)).rate).toMatchObject({ limit: 3, remaining: 2 });
  });

  test('limits tokens per minute, counting the estimate first and then the actual usage', async () => {
    const { identity, ledger } = await database.start();
    const spender = await newSpender(identity, { tpm: 250 });
    const first = await ledger.reserve(spender, ESTIMATE);
    const second = await ledger.reserve(spender, ESTIMATE);
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({
      code: 'OverloadedError',
      message: 'Token rate limit exceeded',
    });
    await ledger.settle(first, used(1n, { promptTokens: 10, completionTokens: 20 }));
    expect((await ledger.quota(spender)).key?.tokens).toEqual({ used: 130, limit: 250, remaining: 120 });
    await ledger.release(second);
    expect((await ledger.quota(spender)).key?.tokens.used).toBe(30);
    await expect(ledger.reserve(spender, { ...ESTIMATE, tokens: 300 })).rejects.toMatchObject({
      reason: 'rate_limited',
    });
    // A request above the limit would never be admitted otherwise.
    await ledger.reserve(await newSpender(identity, { tpm: 250 }), { ...ESTIMATE, tokens: 300 });
  });

  test('usage without a reservation is charged and counted without affecting existing reservations', async () => {
    const { identity, ledger } = await database.start();
    const spender = await newSpender(identity, { tpm: 250, maxParallel: 2 });
    const reservation = await ledger.reserve(spender, { ...ESTIMATE, cost: 9n });
    await ledger.bill(spender, used(4n, { promptTokens: 10, completionTokens: 20, attempt: 2 }));
    const { key } = await ledger.quota(spender);
    expect(key).toMatchObject({ spent: 4n, reserved: 9n, tokens: { used: 130 }, parallel: { used: 1 } });
    await ledger.settle(reservation, used(5n, { promptTokens: 1, completionTokens: 2 }));
    const { key: settled } = await ledger.quota(spender);
    expect(settled).toMatchObject({ spent: 9n, reserved: 0n, tokens: { used: 33 }, parallel: { used: 0 } });
  });

  test('limits concurrent requests', async () => {
    const { identity, ledger } = await database.start();
    const spender = await newSpender(identity, { maxParallel: 2 });
    const [first] = [await ledger.reserve(spender, ESTIMATE), await ledger.reserve(spender, ESTIMATE)];
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({
      code: 'OverloadedError',
      message: 'Too many parallel requests',
      retryAfterSeconds: 1,
    });
    await ledger.release(first);
    await ledger.reserve(spender, ESTIMATE);
    expect((await ledger.quota(spender)).key?.parallel).toEqual({ used: 2, limit: 2, remaining: 0 });
  });

  test("a user's limits are shared by all its keys", async () => {
    const { identity, ledger } = await database.start();
    await identity.users.create({ userId: 'ada', rpm: 2 });
    const [one, other] = [
      await newSpender(identity, { userId: 'ada', rpm: 5 }),
      await newSpender(identity, { userId: 'ada' }),
    ];
    expect((await ledger.reserve(one, ESTIMATE)).rate).toMatchObject({ limit: 2, remaining: 1 });
    await ledger.reserve(other, ESTIMATE);
    for (const spender of [one, other]) {
      await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject({ reason: 'rate_limited' });
    }
    // A rejected request was not counted.
    expect((await ledger.quota(one)).key?.requests.used).toBe(1);
  });

  test('exactly the allowed number of concurrent requests is admitted, even over several database connections', async () => {
    const { identity, ledger, url, clock } = await database.start();
    const other = await database.open(url, { clock });
    const spender = await newSpender(identity, { rpm: 20 });
    const results = await Promise.allSettled(
      Array.from(
        { length: 60 },
        async (_, index) => await (index % 2 ? ledger : other.ledger).reserve(spender, ESTIMATE),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  });
});
