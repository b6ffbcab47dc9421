import { expect, test } from 'vitest';
import { describeDatabases, type TestDatabase } from '../databases.ts';
import { bearer, used } from '../requests.ts';
import { gatewayOn, type OpenGateway } from './open-gateway.ts';

const start = async (database: TestDatabase): Promise<OpenGateway> => {
  const { clock, ...state } = await database.start();
  return gatewayOn(state, clock);
};

// Differences between databases: unsupported text, amounts, times, pagination and concurrency.
describeDatabases((database) => {
  test('users, budgets, keys and prices can be created, read and updated', async () => {
    const { ask, clock } = await start(database);
    const { body: budget } = await ask('POST', '/v1/budgets', { max_budget: 0.1, budget_duration_sec: 60 });
    const strange = 'a/b 🙂 "q" \\ \' %';
    const { body: user } = await ask('POST', '/v1/users', {
      user_id: strange,
      alias: 'zero \0 and half \ud800',
      budget_id: budget.budget_id,
      metadata: { 'a\0': ['\ud800', 1e300, 0.1, null] },
    });
    expect(user).toMatchObject({
      user_id: strange,
      alias: 'zero \ufffd and half \ufffd',
      metadata: { 'a\0': ['\ud800', 1e300, 0.1, null] },
      next_budget_reset_at: '2026-03-01T12:01:00Z',
    });
    const path = `/v1/users/${encodeURIComponent(strange)}`;
    expect((await ask('GET', path)).body).toEqual(user);
    clock.advance(5);
    expect((await ask('PATCH', path, { alias: null })).body.updated_at).toBe('2026-03-01T12:00:00.005Z');

    const { body: key } = await ask('POST', '/v1/keys', { user_id: strange, expires_at: 1_900_000_000.25 });
    expect(key.expires_at).toBe('2030-03-17T17:46:40.25Z');
    expect((await ask('GET', `/v1/keys/${key.id}`)).body).toMatchObject({
      user_id: strange,
      status: 'active',
    });
    expect((await ask('GET', '/v1/keys/%00')).status).toBe(404);
    expect((await ask('GET', '/v1/budgets/%ED%A0%80')).status).toBe(404);

    const prices = { input_price_per_million: 0.000000001, output_price_per_million: 8_999_999_999.123 };
    await ask('POST', '/v1/pricing', { model_key: 'a:b/c', ...prices });
    expect((await ask('GET', '/v1/pricing/a:b/c')).body).toMatchObject(prices);
    expect((await ask('DELETE', path)).status).toBe(204);
  });

  test('if two concurrent requests create the same user, one of them returns 409', async () => {
    const { ask } = await start(database);
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask('POST', '/v1/users', { user_id: 'ada' })));
    expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
      200, 409, 409, 409,
    ]);
  });

  test('usage returns totals, groups, time series and CSV', async () => {
    const { ask, context, clock } = await start(database);
    const { identity, ledger } = context.state;
    const { body: key } = await ask('POST', '/v1/keys', { user_id: 'ada' });
    const spender = await identity.spender(await identity.authenticate(bearer(key.key)), undefined);
    for (const cost of [1_234_567_891n, 1n]) {
      await ledger.settle(await ledger.reserve(spender, { cost, tokens: 1, free: false }), used(cost));
      clock.advance(3_600_000);
    }
    const { body } = await ask('GET', '/v1/usage?group_by=user,model&interval=hour');
    expect(body).toMatchObject({
      totals: { requests: 2, cost: 1.234567892 },
      groups: [{ group: { user: 'ada', model: 'openai:small' }, cost: 1.234567892 }],
      series: [
        { start: '2026-03-01T12:00:00Z', cost: 1.234567891 },
        { start: '2026-03-01T13:00:00Z', cost: 0.000000001 },
      ],
    });
    expect((await ask('GET', '/v1/users/ada')).body.spend).toBe(1.234567892);
    expect((await ask('GET', '/v1/usage?format=csv')).text.trimEnd().split('\r\n')).toHaveLength(3);
    expect((await ask('GET', '/v1/usage?skip=9007199254740991')).body.logs).toEqual([]);
  });
});
