import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { bearer, used } from '../../requests.ts';

const PAGE = { skip: 0, limit: 100 };

describeDatabases((database) => {
  test('a key is shown once, stored as a hash, and belongs to a new virtual user by default', async () => {
    const { identity, store } = await database.start();
    const { key, secret } = await identity.keys.create({ keyName: 'ci', metadata: { team: 'a' } });
    expect(secret).toMatch(/^gw-[A-Za-z0-9_-]{64}$/);
    expect(key).toMatchObject({
      keyName: 'ci',
      keyPrefix: secret.slice(0, 10),
      userId: `apikey-${key.id}`,
      isActive: true,
      status: 'active',
      expiresAt: null,
      lastUsedAt: null,
      metadata: { team: 'a' },
      allowedModels: null,
      budget: null,
      spent: 0n,
    });
    expect((await identity.users.get(key.userId)).alias).toBe('Virtual user for API key: ci');
    expect(await identity.authenticate(bearer(secret))).toMatchObject({ kind: 'key', key: { id: key.id } });
    const stored = JSON.stringify(
      await store.db.selectFrom('gateway_keys').selectAll().execute(),
      (_, value) => (typeof value === 'bigint' ? String(value) : value),
    );
    expect(stored).toContain(key.id);
    expect(stored).not.toContain(secret.slice(10));
    expect(
      JSON.stringify(await identity.keys.list(PAGE), (_, value) => (typeof value === 'bigint' ? '' : value)),
    ).not.toContain(secret);
  });

  test('creating a key for a user creates a missing user, and fails if the user was deleted', async () => {
    const { identity } = await database.start();
    const { key } = await identity.keys.create({ userId: 'ada' });
    expect(key.userId).toBe('ada');
    expect((await identity.users.get('ada')).alias).toBe('User ada');
    await identity.users.delete('ada');
    await expect(identity.keys.create({ userId: 'ada' })).rejects.toMatchObject({
      code: 'NotFoundError',
      message: "User 'ada' has been deleted. Recreate via POST /v1/users first.",
    });
  });

  test('an update keeps absent fields, clears fields set to null, and can reactivate an inactive key', async () => {
    const { identity, clock } = await database.start();
    const expiresAt = clock.wholeNow() + 60_000;
    const { key, secret } = await identity.keys.create({
      keyName: 'ci',
      expiresAt,
      rpm: 5,
      allowedModels: ['openai:*'],
    });
    expect(await identity.keys.change(key.id, { isActive: false })).toMatchObject({
      status: 'inactive',
      expiresAt,
      rpm: 5,
      allowedModels: ['openai:*'],
    });
    await expect(identity.authenticate(bearer(secret))).rejects.toMatchObject({
      message: 'API key is inactive',
    });
    const changed = await identity.keys.change(key.id, {
      isActive: true,
      expiresAt: null,
      rpm: null,
      keyName: 'new',
    });
    expect(changed).toMatchObject({
      status: 'active',
      expiresAt: null,
      rpm: null,
      keyName: 'new',
      allowedModels: ['openai:*'],
    });
    await identity.authenticate(bearer(secret));
  });

  test('a key is rejected once it expires, although isActive stays true', async () => {
    const { identity, clock } = await database.start();
    const { key, secret } = await identity.keys.create({ expiresAt: clock.wholeNow() + 60_000 });
    clock.advance(59_999);
    await identity.authenticate(bearer(secret));
    clock.advance(1);
    await expect(identity.authenticate(bearer(secret))).rejects.toMatchObject({
      message: 'API key has expired',
      reason: 'expired_key',
    });
    expect(await identity.keys.get(key.id)).toMatchObject({ isActive: true, status: 'expired' });
    await expect(identity.keys.create({ expiresAt: clock.wholeNow() })).rejects.toMatchObject({
      code: 'InputError',
    });
    await expect(identity.keys.change(key.id, { expiresAt: clock.wholeNow() - 1 })).rejects.toMatchObject({
      code: 'InputError',
    });
  });

  test('after a rotation, the old secret works until the end of the grace period', async () => {
    const { identity, clock } = await database.start();
    const first = await identity.keys.create({});
    const second = await identity.keys.rotate(first.key.id, 60);
    expect(second.secret).not.toBe(first.secret);
    expect(second.key).toMatchObject({ id: first.key.id, keyPrefix: second.secret.slice(0, 10) });
    await identity.authenticate(bearer(first.secret));
    await identity.authenticate(bearer(second.secret));
    clock.advance(60_000);
    await expect(identity.authenticate(bearer(first.secret))).rejects.toMatchObject({
      message: 'Invalid API key',
    });
    await identity.authenticate(bearer(second.secret));
    const third = await identity.keys.rotate(first.key.id, 0);
    await expect(identity.authenticate(bearer(second.secret))).rejects.toMatchObject({
      message: 'Invalid API key',
    });
    await identity.authenticate(bearer(third.secret));
  });

  test('deleting a key keeps its user and its usage rows, but removes the key ID from these rows', async () => {
    const { identity, ledger, usage } = await database.start();
    const { key, secret } = await identity.keys.create({ userId: 'ada' });
    const spender = await identity.spender(await identity.authenticate(bearer(secret)), undefined);
    const reservation = await ledger.reserve(spender, { cost: 5n, tokens: 1, free: false });
    const entry = used(4n);
    await ledger.settle(reservation, entry);
    const late = await ledger.reserve(spender, { cost: 5n, tokens: 1, free: false });
    await identity.keys.delete(key.id);
    await ledger.settle(late, entry);
    for (const id of [key.id, '\0', '\ud800']) {
      await expect(identity.keys.get(id)).rejects.toMatchObject({
        code: 'NotFoundError',
        reason: 'key_not_found',
      });
    }
    expect((await usage.list({ userId: 'ada' }, PAGE)).map((row) => row.api_key_id)).toEqual([null, null]);
    expect(await identity.users.get('ada')).toMatchObject({ spent: 8n, reserved: 0n });
  });

  test('keys are listed in creation order, with pagination', async () => {
    const { identity, clock } = await database.start();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push((await identity.keys.create({})).key.id);
      clock.advance(1);
    }
    expect((await identity.keys.list(PAGE)).map(({ id }) => id)).toEqual(ids);
    expect((await identity.keys.list({ skip: 1, limit: 2 })).map(({ id }) => id)).toEqual(ids.slice(1, 3));
  });

  test('invalid limits are rejected', async () => {
    const { identity } = await database.start();
    for (const limits of [
      { rpm: 0 },
      { tpm: -1 },
      { maxParallel: 1.5 },
      { budget: { maxBudget: -1n, budgetDurationSec: null } },
      { budget: { maxBudget: 1n, budgetDurationSec: 0 } },
    ]) {
      await expect(identity.keys.create(limits)).rejects.toMatchObject({ code: 'InputError' });
    }
    expect(await identity.keys.list(PAGE)).toEqual([]);
  });

  test("the time of a key's last use is current in memory and is written to the database after a minute or on shutdown", async () => {
    const { identity, clock, url, store, close } = await database.start();
    const { key, secret } = await identity.keys.create({});
    const written = async (): Promise<number | null | undefined> =>
      (await store.db.selectFrom('gateway_keys').select('last_used_at').executeTakeFirst())?.last_used_at;
    await identity.authenticate(bearer(secret));
    clock.advance(500);
    const last = clock.wholeNow();
    await identity.authenticate(bearer(secret));
    expect((await identity.keys.get(key.id)).lastUsedAt).toBe(last);
    expect(await written()).toBeNull();
    clock.advance(60_000);
    await expect.poll(written).toBe(last);
    await identity.authenticate(bearer(secret));
    await close();
    const again = await database.open(url);
    expect((await again.identity.keys.get(key.id)).lastUsedAt).toBe(clock.wholeNow());
  });
});
