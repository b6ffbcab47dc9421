import { expect, test } from 'vitest';
import { createRefusedAttempts } from '#gateway/accounts/audit/refused-attempts.ts';
import { describeDatabases } from '../databases.ts';
import { bearer } from '../requests.ts';
import { gatewayOn } from './open-gateway.ts';

const DAY = 86_400_000;
const PRICE = { input_price_per_million: 1, output_price_per_million: 2 };

describeDatabases((database) => {
  const start = async () => {
    const { clock, ...state } = await database.start();
    return { ...gatewayOn(state, clock), state };
  };
  const list = async ({ ask }: Awaited<ReturnType<typeof start>>, query = '') =>
    (await ask('GET', `/v1/admin/audit${query}`)).body;

  test('every successful change is recorded with its actor, request and differences', async () => {
    const gateway = await start();
    const { ask, clock } = gateway;
    const headers = { 'X-Request-Id': 'r-1', 'X-Forwarded-For': '203.0.113.9' };
    const { body: budget } = await ask('POST', '/v1/budgets', { name: 'small', max_budget: 5 });
    await ask('PATCH', `/v1/budgets/${budget.budget_id}`, { max_budget: 10 });
    await ask('POST', '/v1/users', { user_id: 'ada', budget_id: budget.budget_id });
    clock.advance(1000);
    await ask('PATCH', '/v1/users/ada', { blocked: true }, headers);
    const { body: key } = await ask('POST', '/v1/keys', { user_id: 'ada', metadata: { token: 'hidden' } });
    await ask('PATCH', `/v1/keys/${key.id}`, { is_active: false });
    const { body: rotated } = await ask('POST', `/v1/keys/${key.id}/rotate`, { grace_seconds: 60 });
    await ask('DELETE', `/v1/keys/${key.id}`);
    await ask('DELETE', '/v1/users/ada');
    await ask('DELETE', `/v1/budgets/${budget.budget_id}`);
    await ask('POST', '/v1/pricing', { model_key: 'a:b', ...PRICE });
    await ask('DELETE', '/v1/pricing/a:b');
    await ask('PUT', '/api/v1/settings/secrets/openai', { value: 'sk-secret' });
    await ask('DELETE', '/api/v1/settings/secrets/openai');
    expect((await ask('POST', '/v1/users', { user_id: '' })).status).toBe(422);
    expect((await ask('DELETE', '/v1/users/nobody')).status).toBe(404);

    const all = await list(gateway);
    const actions = [
      'budget.create budget.update user.create user.update key.create key.update key.rotate key.delete',
      'user.delete budget.delete price.set price.delete secret.set secret.delete',
    ];
    const expected = actions.join(' ').split(' ').toReversed();
    expect(all.items.map(({ action }: { action: string }) => action)).toEqual(expected);
    expect(all.total).toBe(14);
    const text = JSON.stringify(all);
    for (const secret of [key.key, rotated.key, 'hidden', 'sk-secret']) expect(text).not.toContain(secret);

    const [blocked] = (await list(gateway, '?action=user.update')).items;
    expect(blocked).toMatchObject({
      at: '2026-03-01T12:00:01Z',
      actor: 'master',
      actor_id: null,
      request_id: 'r-1',
      forwarded_for: '203.0.113.9',
      object: 'ada',
      outcome: 'success',
      before: { blocked: false },
      after: { blocked: true },
      count: 1,
    });
    expect((await list(gateway, '?action=budget.update')).items).toMatchObject([
      { before: { max_budget: 5 }, after: { max_budget: 10 } },
    ]);
    const counts = {
      action: ['key', 4],
      object: ['ada', 3],
      request_id: ['r-1', 1],
      to: ['2026-03-01T12:00:01Z', 3],
    };
    for (const [name, [value, count]] of Object.entries(counts))
      expect((await list(gateway, `?${name}=${String(value)}`)).total, name).toBe(count);
    const page = await list(gateway, '?skip=1&limit=2');
    expect(page.items).toEqual(all.items.slice(1, 3));
    const { text: csv } = await ask('GET', '/v1/admin/audit?format=csv&action=price');
    expect(csv.split('\r\n')).toMatchObject([
      expect.stringMatching(/^id,at,actor,/),
      expect.stringContaining('price.set,a:b,success'),
      expect.stringContaining('price.delete,a:b'),
      '',
    ]);
    expect(await ask('GET', '/v1/admin/audit?acton=key')).toMatchObject({ status: 422 });
  });

  test('a change and its event are stored in one transaction', async () => {
    const { state, ask } = await start();
    await state.store.db.schema.dropTable('gateway_audit').execute();
    expect((await ask('POST', '/v1/users', { user_id: 'ada' })).status).toBe(503);
    await expect(state.identity.users.get('ada')).rejects.toThrow('not found');
  });

  test("a user's own key is the actor of its changes", async () => {
    const gateway = await start();
    const { body: key } = await gateway.ask('POST', '/v1/keys', { user_id: 'ada' });
    await gateway.request('/api/v1/settings/secrets/mine', {
      method: 'PUT',
      headers: { Authorization: `Bearer ${key.key}`, 'Content-Type': 'application/json' },
      body: '{"value":"v"}',
    });
    expect((await list(gateway, '?action=secret')).items).toMatchObject([
      { actor: 'key', actor_id: key.id, actor_user: 'ada', object: 'mine' },
    ]);
  });

  test('rejected attempts are counted, and the number of rows written is limited', async () => {
    const gateway = await start();
    const { state, clock, ask, request } = gateway;
    const { body: key } = await ask('POST', '/v1/keys', {});
    for (let count = 0; count < 30; count += 1)
      expect((await request('/v1/users', { headers: { 'X-Gateway-Key': 'Bearer wrong' } })).status).toBe(401);
    expect((await request('/v1/keys', { headers: bearer(key.key), method: 'POST' })).status).toBe(401);
    expect((await request('/v1/budgets')).status).toBe(401);
    const attempts = createRefusedAttempts(state.store, {
      clock,
      onError: (error) => {
        throw error;
      },
    });
    for (let count = 0; count < 1000; count += 1)
      attempts.note({
        actor: { kind: 'anyone', address: `10.0.0.${count}` },
        route: 'GET /v1/keys',
        reason: 'invalid_key',
      });
    clock.advance(60_000);
    await attempts.close();
    await state.refusedAttempts.close();

    const { items } = await list(gateway, '?outcome=refused&limit=1000');
    const here = items.filter(({ address }: { address: string | null }) => address === null);
    expect(here).toMatchObject([
      { actor: 'anyone', object: 'any', reason: 'many_addresses', count: 980 },
      { object: 'GET /v1/users', reason: 'invalid_key', count: 29 },
      { object: 'GET /v1/budgets', reason: 'missing_credentials', count: 1 },
      { actor: 'key', actor_id: key.key_prefix, object: 'POST /v1/keys', count: 1 },
      { object: 'GET /v1/users', action: 'access.refuse', reason: 'invalid_key', count: 1 },
    ]);
    expect(items).toHaveLength(25);
  });

  test('unknown event values are returned unchanged', async () => {
    const gateway = await start();
    await gateway.ask('POST', '/v1/users', { user_id: 'ada' });
    // Written by a later version.
    const later = { actor: 'robot', outcome: 'postponed' } as object as { actor: 'cli'; outcome: 'failed' };
    await gateway.state.store.db.updateTable('gateway_audit').set(later).execute();
    expect((await list(gateway)).items).toMatchObject([{ action: 'user.create', ...later }]);
  });

  test('events older than the retention period are deleted', async () => {
    const gateway = await start();
    const { state, clock, ask } = gateway;
    await ask('POST', '/v1/users', { user_id: 'old' });
    clock.advance(DAY);
    await ask('POST', '/v1/users', { user_id: 'new' });
    await state.auditLog.prune(clock.wholeNow() - DAY / 2);
    expect((await list(gateway)).items).toMatchObject([{ object: 'new' }]);
  });
});
