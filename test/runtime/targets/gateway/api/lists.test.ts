import { expect, test } from 'vitest';
import { describeDatabases } from '../databases.ts';
import { gatewayOn } from './open-gateway.ts';
import { useGateway } from './use-gateway.ts';

const shared = useGateway();

describeDatabases((database) => {
  test('lists of keys, users, teams and budgets can be searched, filtered, sorted and paginated', async () => {
    const { clock, ...state } = await database.start();
    const { ask } = gatewayOn(state, clock);
    const create = async (path: string, body: object): Promise<Record<string, string>> => {
      clock.advance(1);
      const { status, body: answer } = await ask('POST', path, body);
      expect(status).toBe(200);
      return answer;
    };
    const list = async (path: string, member: string): Promise<unknown[]> =>
      (await ask('GET', path)).body.map((item: Readonly<Record<string, unknown>>) => item[member]);

    await create('/v1/organizations', { organization_id: 'acme', alias: 'Acme' });
    await create('/v1/teams', { team_id: 'research', alias: 'Lab 50%', organization_id: 'acme' });
    await create('/v1/teams', { team_id: 'sales' });
    await create('/v1/users', { user_id: 'emile', alias: 'Émile' });
    await create('/v1/users', { user_id: 'ada', alias: 'Ada_L', blocked: true });
    await create('/v1/users', { user_id: 'bot', team_id: 'research' });
    await ask('PUT', '/v1/teams/research/members/ada');
    const [tier, free] = [
      await create('/v1/budgets', { name: 'Tier 1', max_budget: 5 }),
      await create('/v1/budgets', { name: 'free' }),
    ];
    const nightly = await create('/v1/keys', { user_id: 'emile', key_name: 'Nightly' });
    const old = await create('/v1/keys', { user_id: 'emile', key_name: 'laptop', expires_at: 1_800_000_000 });
    await create('/v1/keys', { user_id: 'bot', team_id: 'research' });
    clock.advance(1_800_000_000_000 - clock.now());
    await ask('PATCH', `/v1/keys/${nightly['id']}`, { is_active: false });
    await state.store.db
      .updateTable('gateway_accounts')
      .set({ spent_nano: 7n, window_ends_at: null })
      .where('id', 'in', ['user:bot', `key:${old['id']}`, 'team:sales'])
      .execute();
    // The window of this amount has ended, so it does not count.
    await state.store.db
      .updateTable('gateway_accounts')
      .set({ spent_nano: 9n, window_ends_at: 1 })
      .where('id', '=', 'user:emile')
      .execute();

    // PostgreSQL with locale C has case mapping only for A to Z.
    const capital = database.kind === 'sqlite' ? '%C3%A9' : '%C3%89';
    expect(await list(`/v1/users?search=${capital}MILE`, 'user_id')).toEqual(['emile']);
    expect(await list('/v1/users?search=a_l', 'user_id')).toEqual(['ada']);
    expect(await list('/v1/users?search=%00', 'user_id')).toEqual([]);
    expect(await list('/v1/users?status=blocked', 'user_id')).toEqual(['ada']);
    expect(await list('/v1/users?team_id=research', 'user_id')).toEqual(['ada', 'bot']);
    expect(await list('/v1/users?team_id=%00', 'user_id')).toEqual([]);
    expect(await list('/v1/users?sort=-user_id', 'user_id')).toEqual(['emile', 'bot', 'ada']);
    expect((await list('/v1/users?sort=-spend', 'user_id'))[0]).toBe('bot');
    // Users without an alias come last in both directions.
    expect(await list('/v1/users?sort=alias', 'user_id')).toEqual(['ada', 'emile', 'bot']);
    expect(await list('/v1/users?sort=-alias', 'user_id')).toEqual(['emile', 'ada', 'bot']);
    expect(await list('/v1/users?sort=user_id&skip=1&limit=1', 'user_id')).toEqual(['bot']);

    expect(await list('/v1/keys?search=NIGHT', 'key_name')).toEqual(['Nightly']);
    expect(await list(`/v1/keys?search=${old['key_prefix']}`, 'id')).toEqual([old['id']]);
    expect(await list('/v1/keys?status=inactive', 'key_name')).toEqual(['Nightly']);
    expect(await list('/v1/keys?status=expired', 'key_name')).toEqual(['laptop']);
    expect(await list('/v1/keys?status=active', 'user_id')).toEqual(['bot']);
    expect(await list('/v1/keys?user_id=emile&sort=key_name', 'key_name')).toEqual(['laptop', 'Nightly']);
    expect(await list('/v1/keys?team_id=research', 'user_id')).toEqual(['bot']);
    expect((await list('/v1/keys?sort=-spend', 'id'))[0]).toBe(old['id']);

    expect(await list('/v1/teams?search=50%25', 'team_id')).toEqual(['research']);
    expect(await list('/v1/teams?organization_id=acme', 'team_id')).toEqual(['research']);
    expect(await list('/v1/teams?status=blocked', 'team_id')).toEqual([]);
    expect(await list('/v1/teams?sort=-spend', 'team_id')).toEqual(['sales', 'research']);
    expect(await list('/v1/organizations?search=ACM&sort=-organization_id', 'organization_id')).toEqual([
      'acme',
    ]);
    expect(await list('/v1/budgets?search=tier', 'budget_id')).toEqual([tier['budget_id']]);
    expect(await list('/v1/budgets?sort=-max_budget', 'budget_id')).toEqual([
      tier['budget_id'],
      free['budget_id'],
    ]);
  });
});

test.each([
  ['/v1/keys?stats=active', 'unknown parameter "stats"; did you mean `status`?'],
  ['/v1/keys?status=off', 'status must be one of active, inactive, expired, not "off"'],
  ['/v1/users?user_id=ada', 'unknown parameter "user_id"'],
  ['/v1/teams?sort=size', 'sort must be one of created_at, -created_at, team_id, '],
  ['/v1/budgets?status=active', 'unknown parameter "status"'],
])('a list rejects %s', async (path, problem) => {
  const { status, body } = await shared().ask('GET', path);
  expect([status, JSON.stringify(body)]).toEqual([
    422,
    expect.stringContaining(JSON.stringify(problem).slice(1, -1)),
  ]);
});
