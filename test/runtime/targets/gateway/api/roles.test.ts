import { beforeAll, describe, expect, test } from 'vitest';
import { useGateway, useOwnGateways } from './use-gateway.ts';

const open = useOwnGateways();
const shared = useGateway();

const bearer = (key: string): Record<string, string> => ({ 'X-Gateway-Key': `Bearer ${key}` });

type Ask = ReturnType<typeof shared>['ask'];

/** A user with a management key, and a function that sends requests with it. */
async function manager(ask: Ask, userId: string, fields: object = {}) {
  await ask('POST', '/v1/users', { user_id: userId, ...fields });
  const { body } = await ask('POST', '/v1/keys', { user_id: userId, scope: 'manage' });
  const send = async (method: string, path: string, sent?: unknown) =>
    await ask(method, path, sent, bearer(body.key));
  return { key: body, send };
}

/** An organization with two teams: ann is the admin and mia a member of `research`, and bob is a member of `sales`. */
async function people(ask: Ask) {
  await ask('POST', '/v1/organizations', { organization_id: 'acme' });
  for (const team of ['research', 'sales'])
    await ask('POST', '/v1/teams', { team_id: team, organization_id: 'acme' });
  const all = {
    master: { send: ask },
    admin: await manager(ask, 'root', { role: 'admin' }),
    viewer: await manager(ask, 'vic', { role: 'viewer' }),
    ann: await manager(ask, 'ann'),
    mia: await manager(ask, 'mia'),
    bob: await manager(ask, 'bob'),
  };
  await ask('PUT', '/v1/teams/research/members/ann', { role: 'admin' });
  await ask('PUT', '/v1/teams/research/members/mia');
  await ask('PUT', '/v1/teams/sales/members/bob');
  await ask('POST', '/v1/users', { user_id: 'bot', team_id: 'research' });
  const keyOf = async (userId: string, team: string | null) =>
    (await ask('POST', '/v1/keys', { user_id: userId, team_id: team })).body;
  return {
    all,
    keys: {
      ofMia: await keyOf('mia', 'research'),
      ofBot: await keyOf('bot', 'research'),
      ofBob: await keyOf('bob', 'sales'),
      personal: await keyOf('mia', null),
    },
  };
}

describe('role permissions', () => {
  let made: Awaited<ReturnType<typeof people>>;
  beforeAll(async () => {
    made = await people(shared().ask);
  });

  const NAMES = ['admin', 'viewer', 'ann', 'mia', 'bob'] as const;
  // One status for each of these users. No row changes anything that another row relies on.
  const TABLE: readonly (readonly [string, string, unknown, readonly number[]])[] = [
    ['GET', '/v1/users', undefined, [200, 200, 200, 200, 200]],
    ['GET', '/v1/users/mia', undefined, [200, 200, 200, 200, 404]],
    ['GET', '/v1/users/bot', undefined, [200, 200, 200, 404, 404]],
    ['GET', '/v1/users/root', undefined, [200, 200, 404, 404, 404]],
    ['GET', '/v1/users/mia/usage', undefined, [200, 200, 403, 200, 404]],
    ['PATCH', '/v1/users/mia', { alias: 'Mia' }, [200, 403, 403, 403, 404]],
    ['PATCH', '/v1/users/bot', { alias: 'Bot' }, [200, 403, 200, 404, 404]],
    ['PATCH', '/v1/users/bot', { role: 'admin' }, [422, 403, 422, 404, 404]],
    ['POST', '/v1/users', { user_id: 'bot' }, [409, 403, 403, 403, 403]],
    ['POST', '/v1/users', { user_id: 'bot', team_id: 'research' }, [409, 403, 422, 403, 403]],
    ['POST', '/v1/users', { user_id: 'bot', team_id: 'sales' }, [409, 403, 403, 403, 403]],
    ['GET', '/v1/teams', undefined, [200, 200, 200, 200, 200]],
    ['GET', '/v1/teams/research', undefined, [200, 200, 200, 200, 404]],
    ['PATCH', '/v1/teams/research', { alias: 'R' }, [200, 403, 403, 403, 403]],
    ['POST', '/v1/teams', { team_id: 'research' }, [409, 403, 403, 403, 403]],
    ['GET', '/v1/teams/research/members', undefined, [200, 200, 200, 200, 404]],
    ['PUT', '/v1/teams/research/members/mia', undefined, [200, 403, 200, 403, 404]],
    ['DELETE', '/v1/teams/research/members/bob', undefined, [404, 403, 404, 403, 404]],
    ['GET', '/v1/organizations', undefined, [200, 200, 403, 403, 403]],
    ['GET', '/v1/organizations/acme', undefined, [200, 200, 403, 403, 403]],
    ['DELETE', '/v1/organizations/acme', undefined, [409, 403, 403, 403, 403]],
    ['GET', '/v1/keys', undefined, [200, 200, 200, 200, 200]],
    ['GET', 'ofMia', undefined, [200, 200, 200, 200, 404]],
    ['GET', 'ofBot', undefined, [200, 200, 200, 404, 404]],
    ['GET', 'personal', undefined, [200, 200, 404, 200, 404]],
    ['PATCH', 'ofMia', { key_name: 'laptop' }, [200, 403, 200, 200, 404]],
    ['PATCH', 'ofMia', { rpm: 5 }, [200, 403, 200, 403, 404]],
    ['PATCH', 'ofMia', { is_active: true }, [200, 403, 200, 403, 404]],
    ['PATCH', 'ofBob', { rpm: 5 }, [200, 403, 404, 404, 403]],
    ['PATCH', 'personal', { budget: null }, [200, 403, 404, 403, 404]],
    ['POST', 'ofBot/rotate', undefined, [200, 403, 200, 404, 404]],
    ['POST', 'personal/rotate', { grace_seconds: 9 }, [200, 403, 404, 200, 404]],
    ['POST', '/v1/keys', {}, [200, 403, 403, 403, 403]],
    ['POST', '/v1/keys', { user_id: 'mia', team_id: 'research' }, [200, 403, 200, 200, 403]],
    ['POST', '/v1/keys', { user_id: 'bot', team_id: 'research' }, [200, 403, 200, 403, 403]],
    ['POST', '/v1/keys', { user_id: 'root', scope: 'manage' }, [200, 403, 403, 403, 403]],
    ['POST', '/v1/keys', { user_id: 'mia', scope: 'manage' }, [200, 403, 403, 200, 403]],
    ['GET', '/v1/budgets', undefined, [200, 200, 403, 403, 403]],
    ['GET', '/v1/budgets/forecasts', undefined, [200, 200, 403, 403, 403]],
    ['POST', '/v1/budgets', { max_budget: 5 }, [200, 403, 403, 403, 403]],
    ['GET', '/v1/pricing', undefined, [200, 200, 200, 200, 200]],
    ['DELETE', '/v1/pricing/a:b', undefined, [404, 403, 403, 403, 403]],
    ['GET', '/v1/providers', undefined, [200, 200, 403, 403, 403]],
    ['DELETE', '/v1/providers/x', undefined, [404, 403, 403, 403, 403]],
    ['POST', '/v1/aliases', { name: 'x', targets: ['no:x'] }, [422, 403, 403, 403, 403]],
    ['GET', '/v1/shadow', undefined, [200, 200, 403, 403, 403]],
    ['GET', '/v1/shadow/fast', undefined, [404, 404, 403, 403, 403]],
    ['POST', '/v1/shadow/promote', { alias: 'fast', force: true }, [404, 403, 403, 403, 403]],
    ['POST', '/v1/admin/reload', undefined, [200, 403, 403, 403, 403]],
    ['GET', '/v1/usage', undefined, [200, 200, 200, 200, 200]],
    ['GET', '/v1/usage?team_id=research', undefined, [200, 200, 200, 200, 200]],
    ['GET', '/v1/usage?user_id=bob', undefined, [200, 200, 403, 403, 200]],
    ['GET', '/v1/usage?team_id=research&user_id=mia', undefined, [200, 200, 200, 200, 403]],
    // A management key cannot call models.
    [
      'POST',
      '/v1/chat/completions',
      { model: 'a:b', messages: [{ role: 'user', content: 'x' }] },
      [403, 403, 403, 403, 403],
    ],
    ['GET', '/api/v1/datasets', undefined, [403, 403, 403, 403, 403]],
  ];

  test.each(TABLE)(
    'each role gets the expected status for %s %s %j',
    async (method, path, body, statuses) => {
      const [, name = '', rest = ''] = /^(\w+)(.*)$/.exec(path) ?? [];
      const key = Object.entries(made.keys).find(([known]) => known === name)?.[1];
      const got: number[] = [];
      const codes = new Set<unknown>();
      for (const who of NAMES) {
        const { status, body: answer } = await made.all[who].send(
          method,
          key ? `/v1/keys/${key.id}${rest}` : path,
          body,
        );
        got.push(status);
        if (status === 403) codes.add(answer.error?.code);
      }
      expect(got).toEqual(statuses);
      expect([undefined, 'role_required', 'foreign_usage', 'management_key']).toEqual(
        expect.arrayContaining([...codes]),
      );
    },
  );

  test('lists contain only what the caller can see', async () => {
    const { all } = made;
    const ids = async (who: keyof typeof all, path: string, member: string) =>
      (await all[who].send('GET', path)).body.map((one: Record<string, unknown>) => one[member]);
    expect(await ids('mia', '/v1/users', 'user_id')).toEqual(['mia']);
    expect((await ids('ann', '/v1/users', 'user_id')).toSorted()).toEqual(['ann', 'bot', 'mia']);
    expect(await ids('bob', '/v1/teams', 'team_id')).toEqual(['sales']);
    expect(await ids('viewer', '/v1/teams', 'team_id')).toEqual(['research', 'sales']);
    expect(new Set(await ids('mia', '/v1/keys', 'user_id'))).toEqual(new Set(['mia']));
    const ofAnn = (await all.ann.send('GET', '/v1/keys')).body;
    expect(
      ofAnn.every(
        (one: { user_id: string; team_id: string }) => one.user_id === 'ann' || one.team_id === 'research',
      ),
    ).toBe(true);
    expect(ofAnn.length).toBeGreaterThan(2);
  });
});

test('a team admin can create keys only for team members', async () => {
  const { ask } = await open();
  const { all } = await people(ask);
  const keyFor = async (user: string) =>
    (await all.ann.send('POST', '/v1/keys', { user_id: user, team_id: 'research' })).body;
  expect((await keyFor('bob')).detail).toBe(
    "User 'bob' is not a member of team 'research'. Add the user to the team first.",
  );
  // A mistyped name does not create a user, as it does with the master key.
  expect((await keyFor('bobby')).detail).toBe(
    "User 'bobby' is not a member of team 'research'. Add the user to the team first.",
  );
  expect(await all.ann.send('PUT', '/v1/teams/research/members/bob')).toMatchObject({ status: 202 });
  expect((await keyFor('bob')).error.code).toBe('role_required');
  expect(await all.bob.send('POST', '/v1/me/invitations/research/accept')).toMatchObject({ status: 200 });
  expect(await keyFor('bob')).toMatchObject({ user_id: 'bob', team_id: 'research' });
});

test('members can create, rotate with a grace period, disable and delete their own team keys', async () => {
  const { ask, clock } = await open();
  const { all } = await people(ask);
  const { body: made } = await all.mia.send('POST', '/v1/keys', { team_id: 'research', key_name: 'laptop' });
  expect(made).toMatchObject({ user_id: 'mia', team_id: 'research', scope: 'models' });
  const { body: rotated } = await all.mia.send('POST', `/v1/keys/${made.id}/rotate`, { grace_seconds: 60 });
  const me = async (key: string) => await ask('GET', '/v1/keys/me', undefined, bearer(key));
  expect([(await me(made.key)).status, (await me(rotated.key)).status]).toEqual([200, 200]);
  clock.advance(60_000);
  expect([(await me(made.key)).status, (await me(rotated.key)).status]).toEqual([401, 200]);
  expect((await me(rotated.key)).body).toMatchObject({
    team_id: 'research',
    quota: { team: { spend: 0 }, organization: { spend: 0 } },
  });
  await all.mia.send('PATCH', `/v1/keys/${made.id}`, { is_active: false });
  expect((await me(rotated.key)).body.error.code).toBe('inactive_key');
  expect((await all.mia.send('DELETE', `/v1/keys/${made.id}`)).status).toBe(204);
  // A management key also has a grace period, but no quota.
  const { key } = all.mia;
  const { body: next } = await all.mia.send('POST', `/v1/keys/${key.id}/rotate`, { grace_seconds: 60 });
  expect((await all.mia.send('GET', '/v1/users')).status).toBe(200);
  expect((await ask('GET', '/v1/users', undefined, bearer(next.key))).status).toBe(200);
  clock.advance(60_000);
  expect((await all.mia.send('GET', '/v1/users')).body.error.code).toBe('invalid_key');
});

test('users lose their permissions when they are blocked, deleted, demoted or removed from a team', async () => {
  const { ask } = await open();
  const { all } = await people(ask);
  await ask('PATCH', '/v1/users/root', { role: 'viewer' });
  expect((await all.admin.send('POST', '/v1/budgets', {})).body.error).toMatchObject({
    code: 'role_required',
    message: "This requires the role admin; user 'root' has the role viewer.",
  });
  await ask('PATCH', '/v1/users/root', { blocked: true });
  expect((await all.admin.send('GET', '/v1/users')).body.error.code).toBe('user_blocked');
  await ask('DELETE', '/v1/users/vic');
  expect((await all.viewer.send('GET', '/v1/users')).body.error.code).toBe('inactive_key');
  await ask('DELETE', '/v1/teams/research/members/ann');
  expect((await all.ann.send('GET', '/v1/teams/research')).status).toBe(404);
});
