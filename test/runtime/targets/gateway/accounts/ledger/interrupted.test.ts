import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { UsageEntry } from '#gateway/accounts/ledger/ledger.ts';
import type { Store } from '#gateway/store/store.ts';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const ESTIMATE = { cost: 1000n, tokens: 500, free: false };

const soFar = (cost: bigint): UsageEntry => ({
  model: 'openai:good',
  provider: 'openai',
  endpoint: '/v1/chat/completions',
  promptTokens: 20,
  completionTokens: Number(cost),
  cost,
  cacheSaved: cost * 2n,
  status: 'interrupted',
  estimated: true,
  requestId: `request-${cost}`,
});

/** Waits until this many requests in flight are written. */
async function untilWritten({ db }: Store, count: number): Promise<void> {
  for (;;) {
    const rows = await db.selectFrom('gateway_reservations').select('interrupted').execute();
    if (rows.filter((row) => row.interrupted !== null).length === count) return;
    await sleep(2);
  }
}

/** Makes all processes look as if they had not sent a heartbeat for a long time. */
const forgetProcesses = async ({ db }: Store): Promise<void> =>
  void (await db.updateTable('gateway_processes').set({ seen_at: 0 }).execute());

const rowsOf = ({ db }: Store) => db.selectFrom('gateway_usage').selectAll().orderBy('cost_nano').execute();
const accountOf = ({ db }: Store, id: string) =>
  db.selectFrom('gateway_accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describeDatabases((database) => {
  test('in-flight requests of a dead process are billed once for their usage so far, even if several gateways start', async () => {
    const dying = await database.start();
    const { identity, ledger, store, clock, url } = dying;
    const spender = { ...(await newSpender(identity, { userId: 'ada' })), tags: ['team-x'] };
    await ledger.reserve(spender, ESTIMATE, () => soFar(7n));
    await ledger.reserve(spender, ESTIMATE, () => soFar(9n));
    // These requests were never sent to a model.
    await ledger.reserve(spender, ESTIMATE, () => undefined);
    await ledger.reserve(spender, ESTIMATE);
    const done = await ledger.reserve(spender, ESTIMATE, () => soFar(5n));
    clock.advance(100);
    await untilWritten(store, 3);
    await ledger.settle(done, used(4n));
    await store.ledger.sync();
    await forgetProcesses(store);
    await Promise.all([database.open(url), database.open(url)]);
    await database.open(url);
    const rows = await rowsOf(store);
    expect(rows.map(({ cost_nano, status }) => [cost_nano, status])).toEqual([
      [4n, 'success'],
      [7n, 'interrupted'],
      [9n, 'interrupted'],
    ]);
    expect(rows[1]).toMatchObject({
      user_id: 'ada',
      request_id: 'request-7',
      prompt_tokens: 20,
      total_tokens: 27,
      estimated: 1,
      tags: '["team-x"]',
    });
    expect(await accountOf(store, 'user:ada')).toMatchObject({
      spent_nano: 20n,
      reserved_nano: 0n,
      running: 0,
    });
    expect(await store.db.selectFrom('gateway_reservations').selectAll().execute()).toEqual([]);
  });

  test('a process wrongly considered dead does not bill its requests twice', async () => {
    const { identity, ledger, store, clock, url } = await database.start();
    const spender = await newSpender(identity, { userId: 'ada' });
    const slow = await ledger.reserve(spender, ESTIMATE, () => soFar(7n));
    clock.advance(100);
    await untilWritten(store, 1);
    await forgetProcesses(store);
    await database.open(url);
    await ledger.settle(slow, used(50n));
    expect(await rowsOf(store)).toMatchObject([
      { status: 'interrupted', cost_nano: 7n, cache_saved_nano: 14n },
    ]);
    expect(await accountOf(store, 'user:ada')).toMatchObject({
      spent_nano: 7n,
      reserved_nano: 0n,
      running: 0,
    });
  });

  test('the usage so far of a stream is written every second, but not for requests that finish sooner', async () => {
    const { identity, ledger, store, clock, url } = await database.start();
    const spender = await newSpender(identity, { userId: 'ada' });
    let cost = 3n;
    const stream = await ledger.reserve(spender, ESTIMATE, () => soFar(cost));
    await ledger.settle(await ledger.reserve(spender, ESTIMATE, () => soFar(1n)), used(1n));
    clock.advance(100);
    await untilWritten(store, 1);
    expect((await ledger.quota(spender)).user).toMatchObject({ reserved: 1000n, parallel: { used: 1 } });
    cost = 30n;
    const written = async (): Promise<string | null | undefined> =>
      (await store.db.selectFrom('gateway_reservations').select('interrupted').executeTakeFirst())
        ?.interrupted;
    while (!(await written())?.includes('request-30')) {
      clock.advance(250);
      await sleep(1);
    }
    await forgetProcesses(store);
    await database.open(url);
    expect(await rowsOf(store)).toMatchObject([{ cost_nano: 1n }, { cost_nano: 30n, status: 'interrupted' }]);
    await ledger.release(stream);
  });
});
