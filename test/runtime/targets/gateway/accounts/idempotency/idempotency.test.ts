import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  createIdempotency,
  type Idempotency,
  type IdempotentRequest,
  type Outcome,
} from '#gateway/accounts/idempotency/idempotency.ts';
import {
  IDEMPOTENCY_DEFAULTS,
  type IdempotencySettings,
} from '#gateway/accounts/idempotency/idempotency-settings.ts';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const REQUEST: Omit<IdempotentRequest, 'signal'> = {
  caller: 'key 1',
  ownerId: 'ann',
  apiKeyId: null,
  key: 'a',
  fingerprint: 'hello',
  requestId: 'request-1',
  credential: 'gw-secret',
};

const outcomeOf = (text: string): Outcome => ({
  response: { status: 200, headers: [['content-type', 'text/plain']], body: Buffer.from(text) },
  hasEffect: true,
  problem: undefined,
  ownerId: undefined,
});

/** Runs a request, unless it has already run. Returns the text of the response, and whether it was repeated. */
async function run(
  idempotency: Idempotency,
  request: Partial<IdempotentRequest> = {},
  outcome: Partial<Outcome> = {},
): Promise<readonly [text: string, isRepeated: boolean]> {
  const found = await idempotency.claim({ ...REQUEST, signal: new AbortController().signal, ...request });
  if (!('finish' in found)) return [Buffer.from(found.body).toString(), true];
  const text = randomUUID();
  await found.finish({ ...outcomeOf(text), ...outcome });
  return [text, false];
}

describeDatabases((database) => {
  const start = async (settings: Partial<IdempotencySettings> = {}) => {
    const state = await database.start();
    const { store, clock } = state;
    const open = (): Idempotency =>
      createIdempotency({
        store,
        settings: () => ({ ...IDEMPOTENCY_DEFAULTS, ...settings }),
        clock,
        onError: (error) => {
          throw error;
        },
      });
    return {
      ...state,
      open,
      one: open(),
      rows: () => store.db.selectFrom('gateway_idempotency').selectAll(),
    };
  };
  /** What is left of a request whose process was killed. */
  const kill = async ({ store, one }: Awaited<ReturnType<typeof start>>): Promise<void> => {
    const found = await one.claim({ ...REQUEST, signal: new AbortController().signal });
    expect(found).toHaveProperty('finish');
    await store.db.updateTable('gateway_idempotency').set({ machine: 'another one', seen_at: 0 }).execute();
  };

  test('a request of a process that was killed runs again', async () => {
    const state = await start();
    await kill(state);
    const [text, isRepeated] = await run(state.open());
    expect(isRepeated).toBe(false);
    expect(await run(state.open())).toEqual([text, true]);
  });

  test('a process that was only slow does not replace the outcome of the request that has taken over', async () => {
    const state = await start();
    const slow = await state.one.claim({ ...REQUEST, signal: new AbortController().signal });
    await state.store.db
      .updateTable('gateway_idempotency')
      .set({ seen_at: 0, machine: 'another one' })
      .execute();
    const [text] = await run(state.open());
    if ('finish' in slow) await slow.finish(outcomeOf('late'));
    expect(await run(state.open())).toEqual([text, true]);
  });

  test('a request that was billed before its process was killed does not run again', async () => {
    const state = await start();
    const spender = await newSpender(state.identity, { userId: 'ann' });
    const reservation = await state.ledger.reserve(spender, { cost: 1n, tokens: 1, free: false });
    await kill(state);
    await state.ledger.settle(reservation, used(1n, { requestId: REQUEST.requestId }));
    for (let time = 0; time < 2; time += 1)
      await expect(run(state.open())).rejects.toThrow(/^The request with this .* the gateway stopped before/);
  });

  test('keys are forgotten after their retention', async () => {
    const state = await start({ retentionMs: 1000 });
    const [first] = await run(state.one);
    state.clock.advance(999);
    expect(await run(state.one)).toEqual([first, true]);
    state.clock.advance(1);
    const [second, isRepeated] = await run(state.one, { fingerprint: 'other' });
    expect([second === first, isRepeated]).toEqual([false, false]);
    await run(state.one, { key: 'b' });
    state.clock.advance(1000);
    await state.one.prune(state.clock.now());
    expect(await state.rows().execute()).toEqual([]);
  });

  test('the keys and responses of one user are limited, and do not affect other users', async () => {
    const state = await start({ maxKeysPerUser: 150, maxStoredBytes: 1_000_000 });
    const [bobs] = await run(state.one, { caller: 'key 2', ownerId: 'bob' });
    for (let index = 0; index < 200; index += 1) {
      await run(state.one, { key: `k${index}` });
      state.clock.advance(1);
    }
    const rows = await state.rows().where('owner_id', '=', 'ann').execute();
    expect(rows.length).toBe(150);
    expect((await run(state.one, { key: 'k199' }))[1]).toBe(true);
    expect(await run(state.one, { caller: 'key 2', ownerId: 'bob' })).toEqual([bobs, true]);
  });

  test('the oldest responses of a user with too many bytes are deleted, but their requests do not run again', async () => {
    const state = await start({ maxStoredBytes: 40_000 });
    for (let index = 0; index < 100; index += 1) {
      await run(state.one, { key: `k${index}` });
      state.clock.advance(1);
    }
    const sizes = (await state.rows().execute()).map(({ size }) => size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10_000);
    await expect(run(state.one, { key: 'k0' })).rejects.toThrow(
      'newer responses of the user have replaced it',
    );
    expect((await run(state.one, { key: 'k99' }))[1]).toBe(true);
  });

  test('without space, responses are not stored, and requests do not run again', async () => {
    const state = await start({ maxStoredBytes: 10 });
    await run(state.one);
    await expect(run(state.open())).rejects.toThrow('there is no space left');
    const [off] = [await start({ storeResponses: false })];
    await run(off.one);
    await expect(run(off.one)).rejects.toThrow('this gateway does not store responses');
  });

  test('a stored response cannot be decrypted with another credential', async () => {
    const { one } = await start();
    await run(one);
    await expect(run(one, { credential: 'gw-rotated' })).rejects.toThrow('the API key has changed');
  });

  test('requests that wait for one without an effect get its response, and later ones run', async () => {
    const { one } = await start();
    const signal = new AbortController().signal;
    const first = await one.claim({ ...REQUEST, signal });
    const waiting = run(one);
    const leaving = new AbortController();
    const left = run(one, { signal: leaving.signal });
    await Promise.resolve();
    leaving.abort();
    await expect(left).rejects.toThrow('Client disconnected');
    if ('finish' in first) await first.finish({ ...outcomeOf('no budget'), hasEffect: false });
    expect(await waiting).toEqual(['no budget', true]);
    expect((await run(one))[1]).toBe(false);
  });

  test('a request that waits for another gateway stops when its client disconnects', async () => {
    const state = await start();
    const first = await state.one.claim({ ...REQUEST, signal: new AbortController().signal });
    const leaving = new AbortController();
    const left = run(state.open(), { signal: leaving.signal });
    leaving.abort();
    await expect(left).rejects.toThrow('Client disconnected');
    if ('finish' in first) await first.finish(outcomeOf('done'));
    expect(await run(state.open())).toEqual(['done', true]);
  });
});
