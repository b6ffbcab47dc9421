import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkloadIssuer, WorkloadRule } from '#gateway/accounts/workloads/workload-config.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { openStandInProvider, type StandInProvider } from '../accounts/sign-in/stand-in-provider.ts';
import type { Answer, OpenGateway } from './open-gateway.ts';
import { useOwnGateways } from './use-gateway.ts';

const AUDIENCE = 'https://llm.example.com';
const files = useTempFolder();
const open = useOwnGateways();
let issuer: StandInProvider;
beforeAll(async () => {
  issuer = await openStandInProvider();
});
afterAll(async () => await issuer.close());

const RULE: WorkloadRule = {
  claims: { repository: ['acme/*'], ref: ['refs/heads/main'] },
  user: 'ci/{repository}',
  team: 'research',
  settings: { allowedModels: ['a:*'], rpm: 5, budget: { maxBudget: 2_000_000_000n, budgetDurationSec: 60 } },
};

const issuerWith = (changes: Partial<WorkloadIssuer> = {}): WorkloadIssuer => ({
  name: 'github',
  issuer: issuer.issuer,
  audiences: [AUDIENCE],
  keys: undefined,
  keyMs: 3_600_000,
  maxUsers: 1000,
  rules: [RULE],
  ...changes,
});

async function start(changes: Partial<WorkloadIssuer> = {}, databaseUrl?: string): Promise<OpenGateway> {
  const gateway = await open({
    workloads: [issuerWith(changes)],
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  // The issuer's tokens use this machine's clock.
  gateway.clock.advance(Date.now() - gateway.clock.now());
  await gateway.ask('POST', '/v1/teams', { team_id: 'research' });
  return gateway;
}

const tokenWith = async (claims: Record<string, unknown> = {}, sign = issuer.sign): Promise<string> => {
  const now = Math.floor(Date.now() / 1000);
  return await sign({
    iss: issuer.issuer,
    aud: AUDIENCE,
    sub: 'repo:acme/app:ref:refs/heads/main',
    iat: now,
    exp: now + 300,
    repository: 'acme/app',
    ref: 'refs/heads/main',
    ...claims,
  });
};

const useIt = async ({ ask }: OpenGateway, token: string): Promise<Answer> =>
  await ask('GET', '/v1/keys/me', undefined, { 'X-Gateway-Key': `Bearer ${token}` });
const errorOf = ({ status, body }: Answer): unknown => [status, body.error?.code, body.detail];

test('a token stands for one key of its user, which has the rule’s settings', async () => {
  const gateway = await start();
  const token = await tokenWith();
  const { status, body } = await useIt(gateway, token);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    key_name: 'Workload github',
    user_id: 'ci/acme/app',
    team_id: 'research',
    scope: 'models',
    allowed_models: ['a:*'],
    quota: { key: { max_budget: 2, requests: { limit: 5 } } },
  });
  // Another token of the same workload has the same key, another repository another one.
  expect((await useIt(gateway, await tokenWith({ jti: '2' }))).body.id).toBe(body.id);
  const other = await useIt(gateway, await tokenWith({ repository: 'acme/other' }));
  expect([other.body.user_id, other.body.id === body.id]).toEqual(['ci/acme/other', false]);
  const { body: keys } = await gateway.ask('GET', '/v1/keys');
  expect(keys.map((key: { user_id: string }) => key.user_id)).toEqual(['ci/acme/app', 'ci/acme/other']);
  // The key's secret is unknown, and the token manages nothing.
  const { status: managing } = await gateway.ask('GET', '/v1/users', undefined, {
    'X-Gateway-Key': `Bearer ${token}`,
  });
  expect(managing).toBe(401);
});

test('concurrent first requests create one key', async () => {
  const gateway = await start();
  const tokens = await Promise.all(Array.from({ length: 6 }, (_, jti) => tokenWith({ jti: String(jti) })));
  const answers = await Promise.all([...tokens, ...tokens].map((token) => useIt(gateway, token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await gateway.ask('GET', '/v1/keys')).body).toHaveLength(1);
});

describe('tokens that are refused', () => {
  const NO_RULE = 'No rule of the workload issuer `github` matches the token’s claims.';
  test.each<[string, Record<string, unknown>, unknown]>([
    ['another repository', { repository: 'evil/app' }, [403, 'workload_refused', NO_RULE]],
    ['a branch in another letter case', { ref: 'refs/heads/MAIN' }, [403, 'workload_refused', NO_RULE]],
    [
      'another audience',
      { aud: 'https://other.example' },
      [401, 'invalid_token', 'Invalid access token: it is for a different audience.'],
    ],
    ['an expired token', { exp: 1 }, [401, 'invalid_token', 'Invalid access token: it has expired.']],
    [
      'a token without expiry',
      { exp: undefined },
      [401, 'invalid_token', 'Invalid access token: its expiry is missing or invalid.'],
    ],
    [
      'another issuer',
      { iss: 'https://evil.example' },
      [
        401,
        'invalid_token',
        'Invalid access token: its issuer "https://evil.example" is not configured in `workloads`.',
      ],
    ],
    [
      'a token bound to a key',
      { cnf: { jkt: 'x' } },
      [
        401,
        'invalid_token',
        'Invalid access token: it is bound to a client key (`cnf`), which is not supported.',
      ],
    ],
  ])('%s', async (_name, claims, expected) => {
    const gateway = await start();
    expect(errorOf(await useIt(gateway, await tokenWith(claims)))).toEqual(expected);
    expect((await gateway.ask('GET', '/v1/keys')).body).toEqual([]);
  });

  test('forged signatures', async () => {
    const gateway = await start();
    const { privateKey } = await generateKeyPair('ES256');
    const forged = await tokenWith({}, (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'key 1' }).sign(privateKey),
    );
    expect(errorOf(await useIt(gateway, forged))).toEqual([
      401,
      'invalid_token',
      'Invalid access token: its signature is invalid.',
    ]);
    const shared = await tokenWith({}, (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32)),
    );
    expect((await useIt(gateway, shared)).status).toBe(401);
    const unsigned = await tokenWith({}, (claims) => Promise.resolve(new UnsecuredJWT(claims).encode()));
    expect((await useIt(gateway, unsigned)).status).toBe(401);
    const valid = await tokenWith();
    expect((await useIt(gateway, `${valid.slice(0, -4)}AAAA`)).status).toBe(401);
  });

  test('without issuers, a token is an API key in a wrong format', async () => {
    const gateway = await open();
    expect(errorOf(await useIt(gateway, await tokenWith()))).toEqual([
      401,
      'invalid_key',
      "Invalid API key format: API key must start with 'gw-' prefix",
    ]);
    expect((await gateway.ask('POST', '/auth/workload', { token: 'x' })).status).toBe(404);
  });
});

test('a token is refused as soon as it expires, also if it was used before', async () => {
  const gateway = await start();
  const token = await tokenWith();
  expect((await useIt(gateway, token)).status).toBe(200);
  gateway.clock.advance(400_000);
  expect(errorOf(await useIt(gateway, token))).toEqual([
    401,
    'invalid_token',
    'Invalid access token: it has expired.',
  ]);
});

test('administrators disable a workload by its key or its user, and a deleted key is created again', async () => {
  const gateway = await start();
  const { ask } = gateway;
  const token = await tokenWith();
  const { id } = (await useIt(gateway, token)).body;
  await ask('PATCH', `/v1/keys/${id}`, { is_active: false });
  expect(errorOf(await useIt(gateway, token))).toEqual([401, 'inactive_key', 'API key is inactive']);
  expect((await useIt(gateway, await tokenWith({ jti: '2' }))).status).toBe(401);
  await ask('PATCH', `/v1/keys/${id}`, { is_active: true });
  await ask('DELETE', `/v1/keys/${id}`);
  expect((await useIt(gateway, token)).body.id).toBe(id);
  await ask('PATCH', '/v1/users/ci%2Facme%2Fapp', { blocked: true });
  expect(errorOf(await useIt(gateway, token))).toEqual([
    403,
    'user_blocked',
    "User 'ci/acme/app' is blocked",
  ]);
  await ask('DELETE', '/v1/users/ci%2Facme%2Fapp');
  expect((await useIt(gateway, token)).status).toBeGreaterThanOrEqual(401);
  expect((await useIt(gateway, await tokenWith({ jti: '3' }))).status).toBeGreaterThanOrEqual(401);
});

test('a rule’s settings replace those of the key, and leave its other settings and its budget window', async () => {
  const folder = files();
  const database = `sqlite:${join(folder, 'gateway.db')}`;
  const before = await start({}, database);
  const { body: key } = await useIt(before, await tokenWith());
  await before.ask('PATCH', `/v1/keys/${key.id}`, { rpm: 50, tpm: 9, log_prompts: false });
  // A new token applies the rule again. Its budget has not changed, so the window stays.
  before.clock.advance(5000);
  const { body: same } = await useIt(before, await tokenWith({ jti: '2' }));
  expect(same.quota.key).toMatchObject({
    requests: { limit: 5 },
    tokens: { limit: 9 },
    budget_started_at: key.quota.key.budget_started_at,
  });
  const settings = {
    ...RULE.settings,
    rpm: 7,
    budget: { maxBudget: 3_000_000_000n, budgetDurationSec: null },
  };
  const after = await start({ rules: [{ ...RULE, settings }] }, database);
  const { body: changed } = await useIt(after, await tokenWith());
  expect([changed.id, changed.quota.key.max_budget, changed.quota.key.requests.limit]).toEqual([
    key.id,
    3,
    7,
  ]);
});

test('the number of users is limited', async () => {
  const gateway = await start({ maxUsers: 2 });
  for (const repository of ['acme/a', 'acme/b'])
    expect((await useIt(gateway, await tokenWith({ repository }))).status).toBe(200);
  expect(errorOf(await useIt(gateway, await tokenWith({ repository: 'acme/c' })))).toEqual([
    403,
    'workload_refused',
    'The workload issuer `github` has 2 users, its maximum. Ask an administrator to delete keys that are no longer needed, or to increase `max_users`.',
  ]);
  expect((await useIt(gateway, await tokenWith({ repository: 'acme/a' }))).status).toBe(200);
});

test('keys whose names contain the prefix of an issuer do not count as its users', async () => {
  const gateway = await start({ maxUsers: 2 });
  for (const name of ['workload:github:1', 'workload:github:2'])
    await gateway.ask('POST', '/v1/keys', { key_name: name, user_id: name });
  for (const repository of ['acme/a', 'acme/b'])
    expect((await useIt(gateway, await tokenWith({ repository }))).status).toBe(200);
  expect((await useIt(gateway, await tokenWith({ repository: 'acme/c' }))).status).toBe(403);
});

test('a team that does not exist is named', async () => {
  const gateway = await start({ rules: [{ ...RULE, team: 'ghosts' }] });
  expect(errorOf(await useIt(gateway, await tokenWith()))).toEqual([
    403,
    'workload_refused',
    'The workload issuer `github` requires the team `ghosts`, which does not exist. Ask an administrator to create it.',
  ]);
});

describe('short-lived keys', () => {
  const exchange = async ({ ask }: OpenGateway, body: object): Promise<Answer> =>
    await ask('POST', '/auth/workload', body, {});

  test('a key works longer than its token, until it expires', async () => {
    const gateway = await start();
    const { status, body } = await exchange(gateway, { token: await tokenWith() });
    expect([status, body.user_id]).toEqual([200, 'ci/acme/app']);
    expect(body.key).toMatch(/^gwt-[\w-]+$/);
    gateway.clock.advance(3_599_000);
    expect((await useIt(gateway, body.key)).body.id).toBe(body.key_id);
    gateway.clock.advance(2000);
    expect(errorOf(await useIt(gateway, body.key))).toEqual([
      401,
      'invalid_key',
      'The short-lived key is invalid or has expired.',
    ]);
  });

  test('a shorter validity can be chosen, but not a longer one', async () => {
    const gateway = await start();
    const until = async (seconds: number): Promise<number> =>
      Date.parse(
        (await exchange(gateway, { token: await tokenWith(), expires_in: seconds })).body.expires_at,
      );
    const now = gateway.clock.now();
    expect(await until(60)).toBeLessThanOrEqual(now + 60_000);
    expect(await until(86_400)).toBeLessThanOrEqual(now + 3_600_000);
    expect((await exchange(gateway, { token: await tokenWith(), expires_in: 0 })).status).toBe(422);
  });

  test('only tokens of issuers can be exchanged, and changed keys are refused', async () => {
    const gateway = await start();
    const { body } = await exchange(gateway, { token: await tokenWith() });
    expect((await exchange(gateway, { token: body.key })).status).toBe(401);
    const { body: ordinary } = await gateway.ask('POST', '/v1/keys', {});
    expect((await exchange(gateway, { token: ordinary.key })).status).toBe(401);
    const changed = body.key.slice(0, 20) + (body.key[20] === 'A' ? 'B' : 'A') + body.key.slice(21);
    for (const key of [changed, `${body.key}A`, 'gwt-', `gwt-${'A'.repeat(80)}`])
      expect((await useIt(gateway, key)).status).toBe(401);
  });

  test('a disabled key disables its short-lived keys', async () => {
    const gateway = await start();
    const { body } = await exchange(gateway, { token: await tokenWith() });
    await gateway.ask('PATCH', `/v1/keys/${body.key_id}`, { is_active: false });
    expect((await useIt(gateway, body.key)).status).toBe(401);
  });
});

test('keys of an issuer can be in a file, and are not requested for tokens of others', async () => {
  const file = join(files(), 'keys.json');
  writeFileSync(file, '{"keys":[]}');
  const gateway = await start({ keys: { file } });
  const before = issuer.keyRequests();
  expect((await useIt(gateway, await tokenWith())).status).toBe(401);
  expect(issuer.keyRequests()).toBe(before);
  const missing = await start({ keys: { file: `${file}.none` } });
  expect(errorOf(await useIt(missing, await tokenWith()))).toEqual([
    503,
    expect.anything(),
    expect.stringMatching(/^The keys of the token issuer are not available: Cannot read the key set/),
  ]);
});
