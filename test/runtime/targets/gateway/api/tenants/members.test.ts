import { afterAll, expect, test } from 'vitest';
import { openStoredGateway } from '../stored-gateway.ts';
import { type Headers, keysOf } from './keys-of.ts';

const { gateway } = await openStoredGateway();
afterAll(() => gateway.close());
const { ask } = gateway;
const { session, issued } = keysOf(gateway);

test('a team admin can create keys for a user only after the user has accepted', async () => {
  await ask('POST', '/v1/teams', { team_id: 'closed' });
  for (const user_id of ['chief', 'zoe']) await ask('POST', '/v1/users', { user_id });
  await ask('PUT', '/v1/teams/closed/members/chief', { role: 'admin' });
  const chief = await session('chief');
  const invited = async (user: string) => {
    const { status, body } = await ask('PUT', `/v1/teams/closed/members/${user}`, undefined, chief);
    return [status, Object.keys(body)];
  };
  const keyOf = (user_id: string) => ask('POST', '/v1/keys', { user_id, team_id: 'closed' }, chief);
  // The responses do not reveal which users exist.
  expect(await invited('zoe')).toEqual(await invited('nobody'));
  expect((await keyOf('zoe')).text.replaceAll('zoe', 'x')).toBe(
    (await keyOf('nobody')).text.replaceAll('nobody', 'x'),
  );
  const ofTeam = await issued({ user_id: 'chief', team_id: 'closed' });
  expect((await ask('GET', '/v1/me/invitations', undefined, ofTeam)).status).toBe(403);
  const zoe = await session('zoe');
  expect((await ask('GET', '/v1/me/invitations', undefined, zoe)).body).toMatchObject([
    { team_id: 'closed', user_id: 'zoe', role: 'member', invited_by: 'chief' },
  ]);
  expect((await ask('POST', '/v1/me/invitations/closed/accept', undefined, zoe)).status).toBe(200);
  expect((await keyOf('zoe')).status).toBe(200);
});

test('admin-set limits apply to all keys that a member creates', async () => {
  await ask('POST', '/v1/teams', { team_id: 'tight', allowed_models: ['openai:*'] });
  await ask('POST', '/v1/users', { user_id: 'hal' });
  await ask('PUT', '/v1/teams/tight/members/hal');
  const limited = { user_id: 'hal', team_id: 'tight', rpm: 2, allowed_models: ['openai:gpt-4o-mini'] };
  const { body: set } = await ask('POST', '/v1/keys', limited);
  const hal = await session('hal');
  const refused = await ask('POST', '/v1/keys', { team_id: 'tight', log_prompts: false }, hal);
  expect([refused.status, refused.body.error.code]).toEqual([403, 'role_required']);
  const [first, second] = [await issued({ team_id: 'tight' }, hal), await issued({ team_id: 'tight' }, hal)];
  const chat = async (as: Headers, model = 'openai:gpt-4o-mini') =>
    (await ask('POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'x' }] }, as))
      .status;
  expect(await chat(first, 'openai:gpt-4o')).toBe(403);
  expect([await chat(first), await chat(second), await chat(first), await chat(second)]).toEqual([
    200, 200, 429, 429,
  ]);
  const key = `/v1/keys/${set.id}`;
  expect((await ask('DELETE', key, undefined, hal)).status).toBe(403);
  expect((await ask('PATCH', key, { is_active: false }, hal)).status).toBe(200);
  expect(await chat(first)).toBe(429);
  // The team's models also apply to uploads.
  const body = new FormData();
  body.set('purpose', 'user_data');
  body.set('file', new File(['x'], 'x.txt'));
  const headers = { ...first, 'X-Gateway-Provider': 'other' };
  expect((await gateway.app.request('/v1/files', { method: 'POST', headers, body })).status).toBe(403);
});
