import { join } from 'node:path';
import { expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import {
  CLIENT,
  openStandInProvider,
} from '../../runtime/targets/gateway/accounts/sign-in/stand-in-provider.ts';
import type { Answer, Api } from '../shared-services.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { upload } from './lab-requests.ts';
import { shareGateways, useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const openai = await startFixture('openai');
const start = shareGateways();
const startOwn = useGateways();

const CONFIG = {
  config: {
    providers: providersFor({ openai }),
    pricing: { 'openai:good': { input_price_per_million: 1, output_price_per_million: 2 } },
  },
};

const send = (
  api: Api,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = AS_MASTER,
): Promise<Answer> =>
  api.ask(path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

verifiesGateway('gateway:teams', async (arm) => {
  const api = await start(arm, CONFIG);
  const { body: budget } = await send(api, 'POST', '/v1/budgets', { max_budget: 0.0001 });
  await send(api, 'POST', '/v1/organizations', {
    organization_id: 'acme',
    allowed_models: ['openai:*'],
    budget_id: budget.budget_id,
  });
  for (const team of ['research', 'sales'])
    expect(
      (await send(api, 'POST', '/v1/teams', { team_id: team, organization_id: 'acme' })).body,
    ).toMatchObject({ team_id: team, organization_id: 'acme', spend: 0 });
  const keys = await Promise.all([
    createKey(api, { user_id: 'ann', team_id: 'research' }),
    createKey(api, { user_id: 'bob', team_id: 'sales' }),
  ]);
  const chat = async (key: string, model = 'openai:good') =>
    await api.post('/v1/chat/completions', { ...chatWith(model), max_tokens: 9 }, asKey(key));
  // Each response costs 21 input and 9 output tokens; the organization can pay for two of them.
  const statuses: number[] = [];
  for (const key of [...keys, ...keys, ...keys]) statuses.push((await chat(key)).status);
  expect(statuses).toEqual([200, 200, 403, 403, 403, 403]);
  expect((await chat(keys[0])).body.detail).toMatch(
    /^Organization 'acme' has \$0\.000022 of the budget left/,
  );
  const { body: usage } = await api.get('/v1/usage?group_by=organization,team&status=success', AS_MASTER);
  expect(
    usage.groups.map(({ group, requests }: { group: object; requests: number }) => [group, requests]),
  ).toEqual(
    expect.arrayContaining([
      [{ organization: 'acme', team: 'research' }, 1],
      [{ organization: 'acme', team: 'sales' }, 1],
    ]),
  );
  await send(api, 'PATCH', '/v1/teams/sales', { allowed_models: ['openai:other'] });
  await expect
    .poll(async () => (await chat(keys[1])).body.detail)
    .toBe("Model 'openai:good' is not allowed for team 'sales'");
  expect((await chat(keys[0], 'anthropic:good')).status).toBe(400);
});

verifiesGateway('gateway:roles', async (arm) => {
  const api = await start(arm, CONFIG);
  const managing = async (user: string, role: string) => {
    await send(api, 'POST', '/v1/users', { user_id: user, role });
    return asKey((await send(api, 'POST', '/v1/keys', { user_id: user, scope: 'manage' })).body.key);
  };
  const [admin, viewer, lead, member] = await Promise.all([
    managing('root', 'admin'),
    managing('vic', 'viewer'),
    managing('lea', 'member'),
    managing('mia', 'member'),
  ]);
  await send(api, 'POST', '/v1/teams', { team_id: 'roles' }, admin);
  await send(api, 'PUT', '/v1/teams/roles/members/lea', { role: 'admin' }, admin);
  // A team admin invites the user, who joins by accepting.
  expect((await send(api, 'PUT', '/v1/teams/roles/members/mia', undefined, lead)).status).toBe(202);
  expect((await send(api, 'POST', '/v1/me/invitations/roles/accept', undefined, member)).status).toBe(200);
  const statuses = async (method: string, path: string, body?: object) => {
    const all = [admin, viewer, lead, member];
    return await Promise.all(all.map(async (who) => (await send(api, method, path, body, who)).status));
  };
  expect(await statuses('GET', '/v1/users/mia')).toEqual([200, 200, 200, 200]);
  expect(await statuses('GET', '/v1/users/root')).toEqual([200, 200, 404, 404]);
  expect(await statuses('GET', '/v1/budgets')).toEqual([200, 200, 403, 403]);
  expect(await statuses('POST', '/v1/budgets', {})).toEqual([200, 403, 403, 403]);
  expect(await statuses('POST', '/v1/keys', { user_id: 'mia', team_id: 'roles' })).toEqual([
    200, 403, 200, 200,
  ]);
  expect(await statuses('POST', '/v1/chat/completions', chatWith('openai:good'))).toEqual([
    403, 403, 403, 403,
  ]);
  const created = await send(api, 'POST', '/v1/users', { user_id: 'roles/bot', team_id: 'roles' }, lead);
  expect([created.status, created.body.team_id]).toEqual([200, 'roles']);
  const { body: key } = await send(api, 'POST', '/v1/keys', { user_id: 'roles/bot', team_id: 'roles' }, lead);
  const path = `/v1/keys/${key.id}/rotate`;
  const { body: rotated } = await send(api, 'POST', path, { grace_seconds: 600 }, lead);
  for (const secret of [key.key, rotated.key])
    expect((await api.get('/v1/keys/me', asKey(secret))).body.team_id).toBe('roles');
});

verifiesGateway('gateway:tenants', async (arm) => {
  const api = await start(arm, CONFIG);
  for (const team_id of ['mine', 'hers']) await send(api, 'POST', '/v1/teams', { team_id });
  const create = async (body: object, as: Record<string, string> = AS_MASTER) =>
    asKey((await send(api, 'POST', '/v1/keys', body, as)).body.key);
  const eve = await create({ user_id: 'eve', scope: 'manage' });
  await create({ user_id: 'ann' });
  await send(api, 'PUT', '/v1/teams/hers/members/eve', { role: 'admin' });
  for (const team of ['mine', 'hers']) await send(api, 'PUT', `/v1/teams/${team}/members/ann`, {});
  const owner = await create({ user_id: 'ann', team_id: 'mine' });
  const path = `/api/v1/datasets/${(await upload(api, undefined, owner)).body.id}`;
  const statuses = async (key: Record<string, string>) => [
    (await api.get(path, key)).status,
    (await api.get('/api/v1/datasets', key)).body.total,
    (await send(api, 'DELETE', path, undefined, key)).status,
  ];
  const others = {
    'of eve': await create({ user_id: 'ann', team_id: 'hers' }, eve),
    issued: await create({ user_id: 'ann' }),
  };
  for (const [who, key] of Object.entries(others))
    expect([who, ...(await statuses(key))]).toEqual([who, 404, 0, 404]);
  expect((await api.get(path, owner)).status).toBe(200);
  await send(api, 'DELETE', '/v1/users/ann');
  await send(api, 'POST', '/v1/users', { user_id: 'ann' });
  expect(await statuses(await create({ user_id: 'ann' }))).toEqual([404, 0, 404]);
  expect((await api.get(path, AS_MASTER)).status).toBe(200);
});

verifiesGateway('gateway:workloads', async (arm) => {
  const issuer = await openStandInProvider();
  try {
    const audience = 'https://llm.example.com';
    const rules = [
      { claims: { repository: 'acme/*' }, user: 'ci/{repository}', allowed_models: ['openai:good'], rpm: 3 },
    ];
    const config = { ...CONFIG.config, workloads: { ci: { issuer: issuer.issuer, audience, rules } } };
    const api = await startOwn(arm, { config: { ...config, threads: 2 } });
    const exp = Math.floor(Date.now() / 1000) + 600;
    const claims = { iss: issuer.issuer, aud: audience, sub: 'job', exp };
    const token = await issuer.sign({ ...claims, repository: 'acme/app' });
    const chat = async (headers: Record<string, string>, model = 'openai:good') =>
      await api.post('/v1/chat/completions', { ...chatWith(model), max_tokens: 9 }, headers);
    expect((await chat(asKey(token))).status).toBe(200);
    expect((await chat({ 'x-api-key': token })).status).toBe(200);
    expect((await chat(asKey(token), 'openai:bad')).body.error.code).toBe('model_not_allowed');
    const { body: short } = await send(api, 'POST', '/auth/workload', { token }, {});
    expect((await chat(asKey(short.key))).status).toBe(200);
    // The limit applies to the workload, not to each of its credentials.
    const again = await issuer.sign({ ...claims, repository: 'acme/app', jti: '2' });
    expect((await chat(asKey(again))).body.error.code).toBe('rate_limited');
    const stranger = await issuer.sign({ ...claims, repository: 'evil/app' });
    expect((await chat(asKey(stranger))).body.error.code).toBe('workload_refused');
    expect((await api.get('/v1/users', asKey(token))).status).toBe(401);
    const { body: usage } = await api.get('/v1/users/ci%2Facme%2Fapp/usage', AS_MASTER);
    expect(usage.length).toBeGreaterThanOrEqual(3);
    const other = await startOwn(arm, { config }, [
      '--database-url',
      `sqlite:${join(api.folder, 'data', 'gateway.db')}`,
    ]);
    expect((await other.get('/v1/keys/me', asKey(token))).body.id).toBe(short.key_id);
    expect((await other.get('/v1/keys/me', asKey(short.key))).body).toMatchObject({ user_id: 'ci/acme/app' });
    expect(api.log()).not.toContain(token);
  } finally {
    await issuer.close();
  }
});

verifiesGateway('gateway:sign-in', async (arm) => {
  const provider = await openStandInProvider();
  try {
    const publicUrl = 'http://localhost:9999';
    const api = await startOwn(arm, {
      config: {
        sign_in: {
          issuer: provider.issuer,
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          public_url: publicUrl,
          create_users: true,
          groups: { ops: { role: 'admin' } },
        },
      },
    });
    provider.claims = { sub: 'ada', groups: ['ops'] };
    const cookiesOf = ({ headers }: { readonly headers: Headers }) =>
      headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ');
    const begun = await api.ask('/auth/sign-in', { redirect: 'manual' });
    const there = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
    const back = new URL(there.headers.get('location') ?? '');
    expect(back.origin).toBe(publicUrl);
    const callback = back.pathname + back.search;
    expect((await api.ask(callback, { redirect: 'manual' })).status).toBe(401);
    const done = await api.ask(callback, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
    expect([done.status, done.headers.get('location')]).toEqual([302, '/docs']);
    const session = { cookie: cookiesOf(done) };
    expect((await api.get('/v1/me', session)).body).toMatchObject({ user_id: 'ada', role: 'admin' });
    expect((await send(api, 'POST', '/v1/teams', { team_id: 'a' }, session)).status).toBe(403);
    const own = { ...session, origin: publicUrl };
    expect((await send(api, 'POST', '/v1/teams', { team_id: 'a' }, own)).status).toBe(200);
    expect((await send(api, 'POST', '/auth/sign-out', undefined, own)).status).toBe(204);
    expect((await api.get('/v1/me', session)).status).toBe(401);
    expect(api.log()).not.toContain(CLIENT.clientSecret);
  } finally {
    await provider.close();
  }
});
