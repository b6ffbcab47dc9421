import { array, assert, asyncProperty, bigInt, boolean, integer, record } from 'fast-check';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

/** Expected and actual cost of one request. */
const request = record({
  estimate: bigInt(1n, 50n),
  share: integer({ min: 0, max: 100 }),
  fails: boolean(),
});

const BUDGET_REASONS = new Set<unknown>(['budget_exceeded', 'budget_reserved', 'estimate_exceeds_budget']);

describeDatabases((database) => {
  test('concurrent requests never exceed the budget and leave no reservations behind', async () => {
    const { identity, ledger, budgets, url, clock, usage, store } = await database.start();
    const other = await database.open(url, { clock });
    const ledgers = [ledger, other.ledger];
    let round = 0;
    await assert(
      asyncProperty(
        array(request, { minLength: 1, maxLength: 40 }),
        bigInt(1n, 400n),
        async (requests, maxBudget) => {
          round += 1;
          const userId = `user ${round}`;
          const { budgetId } = await budgets.create({ maxBudget });
          await identity.users.create({ userId, budgetId });
          const spender = await newSpender(identity, { userId });
          let settled = 0n;
          const refusals: unknown[] = [];
          await Promise.all(
            requests.map(async ({ estimate, share, fails }, index) => {
              const door = ledgers[index % 2] ?? ledger;
              const reservation = await door
                .reserve(spender, { cost: estimate, tokens: 1, free: false })
                .catch((error: AppError) => void refusals.push(error.reason));
              if (!reservation) return;
              if (fails) return await door.release(reservation);
              const cost = (estimate * BigInt(share)) / 100n;
              await door.settle(reservation, used(cost));
              settled += cost;
            }),
          );
          expect(refusals.filter((reason) => !BUDGET_REASONS.has(reason))).toEqual([]);
          expect(settled <= maxBudget, `${settled} of ${maxBudget}`).toBe(true);
          expect(await identity.users.get(userId)).toMatchObject({ spent: settled, reserved: 0n });
          expect((await usage.totals({ userId })).cost).toBe(settled);
        },
      ),
      { numRuns: 15 },
    );
    expect(await store.db.selectFrom('gateway_reservations').selectAll().execute()).toEqual([]);
  });

  test('a reservation that is settled several times is counted once', async () => {
    const { identity, ledger, usage } = await database.start();
    const spender = await newSpender(identity, { userId: 'ada' });
    const reservation = await ledger.reserve(spender, { cost: 9n, tokens: 1, free: false });
    const failed = used(0n, { status: 'error', errorMessage: 'zero \0', statusCode: 502 });
    await Promise.all([1, 2, 3].map(async () => await ledger.settle(reservation, failed, used(7n))));
    await ledger.release(reservation);
    expect(await identity.users.get('ada')).toMatchObject({ spent: 7n, reserved: 0n });
    const rows = await usage.list({ userId: 'ada' }, { skip: 0, limit: 10 });
    expect(rows.map(({ attempt, status }) => `${attempt} ${status}`).sort()).toEqual([
      '1 error',
      '2 success',
    ]);
    expect(rows.find(({ attempt }) => attempt === 1)).toMatchObject({
      status_code: 502,
      error_message: 'zero \uFFFD',
    });
  });

  test('a usage row that cannot be stored is rejected without affecting concurrent settlements', async () => {
    const { identity, ledger } = await database.start();
    const spender = await newSpender(identity, { userId: 'ada' });
    const reserve = async () => await ledger.reserve(spender, { cost: 2n, tokens: 1, free: false });
    const [good, bad, fine] = [await reserve(), await reserve(), await reserve()];
    // An entry without a model, which the database rejects.
    const broken = used(2n, { endpoint: null as unknown as string });
    const results = await Promise.allSettled([
      ledger.settle(good, used(2n)),
      ledger.settle(bad, broken),
      ledger.settle(fine, used(2n)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await identity.users.get('ada')).toMatchObject({ spent: 4n, reserved: 2n });
    await ledger.release(bad);
    expect(await identity.users.get('ada')).toMatchObject({ spent: 4n, reserved: 0n });
  });

  test('the reservations of a process without heartbeats are released, but can still be settled if the process is alive', async () => {
    const { identity, ledger, store, url } = await database.start();
    const spender = await newSpender(identity, { userId: 'ada', maxParallel: 1 });
    const reservation = await ledger.reserve(spender, { cost: 9n, tokens: 1, free: false });
    await store.db.updateTable('gateway_processes').set({ seen_at: 0 }).execute();
    const { identity: there } = await database.open(url);
    expect(await there.users.get('ada')).toMatchObject({ reserved: 0n });
    await ledger.settle(reservation, used(5n));
    expect(await identity.users.get('ada')).toMatchObject({ spent: 5n, reserved: 0n });
    await ledger.release(await ledger.reserve(spender, { cost: 9n, tokens: 1, free: false }));
  });

  test('no spending is lost or counted twice if database connections break', async ({ skip }) => {
    skip(database.kind === 'sqlite');
    const { identity, ledger, usage, store, url } = await database.start();
    const spender = await newSpender(identity, { userId: 'ada' });
    const killer = new Pool({ connectionString: url, max: 1 });
    let settled = 0n;
    const failures: unknown[] = [];
    const spend = async (): Promise<void> => {
      for (let count = 0; count < 40; count += 1) {
        try {
          const reservation = await ledger.reserve(spender, { cost: 3n, tokens: 1, free: false });
          // If it cannot be written now, it is written later, so it counts in any case.
          settled += 2n;
          await ledger.settle(reservation, used(2n));
        } catch (error) {
          failures.push((error as AppError).reason);
        }
        if (count % 4 === 0) {
          await killer.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway'",
          );
        }
      }
    };
    await Promise.all([spend(), spend(), spend()]);
    await killer.end();
    expect(failures.filter((reason) => reason !== 'database_unavailable')).toEqual([]);
    await ledger.close();
    expect((await usage.totals({ userId: 'ada' })).cost).toBe(settled);
    expect(await identity.users.get('ada')).toMatchObject({ spent: settled, reserved: 0n });
    expect(await store.db.selectFrom('gateway_reservations').selectAll().execute()).toEqual([]);
  });
});
