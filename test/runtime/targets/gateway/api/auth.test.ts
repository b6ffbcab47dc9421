import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { CLIENT, type StandInProvider } from '../accounts/sign-in/stand-in-provider.ts';
import { comeBack, cookieIn, signIn } from './sign-in-here.ts';
import { useOwnGateways } from './use-gateway.ts';
import { PUBLIC_URL, useSignIn } from './use-sign-in.ts';

const open = useOwnGateways();
const { provider: providerOf, missing, start } = useSignIn();
let provider: StandInProvider;
let signed: StandInProvider['sign'];
beforeEach(() => {
  provider = providerOf();
  signed = provider.sign;
});

test('a sign-in creates the user, applies groups and opens a session with management access', async () => {
  const gateway = await start();
  provider.claims = { sub: 'ada', name: 'Ada', groups: ['ops', 'ghosts'] };
  const { answer, session } = await signIn(gateway, '?return_to=/docs?x=1');
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs?x=1']);
  expect(answer.headers.getSetCookie().find((one) => one.startsWith('gateway_session='))).toMatch(
    /^gateway_session=gw-[\w-]+; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  expect(missing).toEqual(['ghosts']);
  const me = await gateway.request('/v1/me', { headers: session });
  expect(me.body).toMatchObject({ user_id: 'ada', role: 'admin', teams: [], scope: 'manage' });
  expect((await gateway.request('/v1/users', { headers: session })).status).toBe(200);

  // Another sign-in: the user has left ops and is now a lead.
  provider.claims = { sub: 'ada', groups: ['leads'] };
  const { session: second } = await signIn(gateway);
  const changed = await gateway.request('/v1/me', { headers: second });
  expect(changed.body).toMatchObject({ role: 'member', teams: [{ team_id: 'research', role: 'admin' }] });
  // The role also applies to the existing session.
  const { status } = await gateway.request('/v1/budgets', { headers: session });
  expect(status).toBe(403);
  gateway.clock.advance(3_600_000);
  expect((await gateway.request('/v1/me', { headers: second })).body.error.code).toBe('expired_key');
});

test('changes made with the session cookie must come from a gateway page, and signing out terminates the session', async () => {
  const gateway = await start();
  provider.claims = { sub: 'ada', groups: ['ops'] };
  const { session } = await signIn(gateway);
  const post = async (headers: Record<string, string>) => {
    const { status, body } = await gateway.request('/v1/teams', {
      method: 'POST',
      headers: { ...session, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ team_id: `t${Math.random()}` }),
    });
    return [status, body.error?.code];
  };
  for (const headers of [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin: PUBLIC_URL },
    { 'sec-fetch-site': 'same-site', origin: PUBLIC_URL },
  ] as Record<string, string>[])
    expect(await post(headers)).toEqual([403, 'foreign_page']);
  expect(await post({ origin: PUBLIC_URL })).toEqual([200, undefined]);
  expect(await post({ 'sec-fetch-site': 'same-origin' })).toEqual([200, undefined]);
  // A header takes precedence over the cookie and needs no page.
  expect(await post({ authorization: 'Bearer nonsense' })).toEqual([401, 'invalid_key']);
  const out = await gateway.request('/auth/sign-out', {
    method: 'POST',
    headers: { ...session, origin: PUBLIC_URL },
  });
  expect([out.status, cookieIn(out.headers, 'gateway_session')]).toEqual([204, 'gateway_session=']);
  expect((await gateway.request('/v1/me', { headers: session })).body.error.code).toBe('invalid_key');
});

describe('rejected sign-ins', () => {
  test.each([
    ['blocked', "User 'ada' is blocked"],
    ['deleted', "User 'ada' was deleted. Ask an administrator to create it again."],
    [
      'service',
      "User 'ada' is a service account of team 'research' and cannot sign in. Ask an administrator to delete the service account and create a user with this ID.",
    ],
    ['unknown', "User 'ada' does not exist. Ask an administrator to create it."],
  ])('a %s user is rejected', async (kind, message) => {
    const gateway = await start({ createUsers: kind !== 'unknown' });
    const { ask } = gateway;
    if (kind !== 'unknown')
      await ask('POST', '/v1/users', {
        user_id: 'ada',
        ...(kind === 'service' && { team_id: 'research' }),
        blocked: kind === 'blocked',
      });
    if (kind === 'deleted') await ask('DELETE', '/v1/users/ada');
    const { answer } = await signIn(gateway);
    expect([answer.status, answer.body.detail]).toEqual([403, message]);
    expect(cookieIn(answer.headers, 'gateway_session')).toBe('');
    expect((await ask('GET', '/v1/keys')).body).toEqual([]);
  });
});

test('a callback must match the sign-in that the same browser started', async () => {
  const gateway = await start();
  const first = await comeBack(gateway);
  const other = await comeBack(gateway);
  const finish = async (path: string, cookie: string) => {
    const { status, body } = await gateway.request(path, { headers: { cookie } });
    return [status, body?.detail];
  };
  const started =
    'This sign-in was not started in this browser, or it took longer than 10 minutes. Sign in again.';
  expect(await finish(first.path, '')).toEqual([401, started]);
  expect(await finish(first.path, other.cookie)).toEqual([401, started]);
  expect(await finish(first.path, `${first.cookie}x`)).toEqual([401, started]);
  const foreign = first.path.replace(encodeURIComponent(provider.issuer), 'https%3A%2F%2Fevil.example');
  expect(foreign).not.toBe(first.path);
  const response = 'The response is not from the configured provider. Sign in again.';
  expect(await finish(foreign, first.cookie)).toEqual([401, response]);
  expect(await finish(first.path.replace(/&iss=[^&]*/, ''), first.cookie)).toEqual([401, response]);
  const denied = first.path.replace(/code=[^&]*/, 'error=access_denied&error_description=No%0Away');
  expect(await finish(denied, first.cookie)).toEqual([
    401,
    'The provider rejected the sign-in: access_denied: No way. Sign in again.',
  ]);
  // The code of another sign-in has a different challenge.
  const code = /code=[^&]*/.exec(other.path)?.[0] ?? '';
  expect(await finish(first.path.replace(/code=[^&]*/, code), first.cookie)).toEqual([
    401,
    'The provider rejected the authorization code: invalid_grant: no. Sign in again.',
  ]);
  expect((await finish(first.path, first.cookie))[0]).toBe(302);
  const away = await comeBack(gateway, '?return_to=//evil.example/');
  const { headers } = await gateway.request(away.path, { headers: { cookie: away.cookie } });
  expect(headers.get('location')).toBe('/docs');
  const { path, cookie } = await comeBack(gateway);
  gateway.clock.advance(600_000);
  expect(await finish(path, cookie)).toEqual([401, started]);
});

test('ID tokens that do not match the sign-in are rejected', async () => {
  const gateway = await start();
  const { privateKey } = await generateKeyPair('ES256');
  const cases: readonly (readonly [StandInProvider['sign'], string])[] = [
    [async (claims) => await signed({ ...claims, aud: 'other' }), 'it is for a different audience'],
    [async (claims) => await signed({ ...claims, iss: 'https://evil.example' }), 'its issuer does not match'],
    [async (claims) => await signed({ ...claims, exp: 1 }), 'it has expired'],
    [async (claims) => await signed({ ...claims, nonce: 'x' }), 'its nonce does not match this sign-in'],
    [async (claims) => await signed({ ...claims, aud: ['gateway', 'other'] }), 'issued to another client'],
    [async (claims) => await signed({ ...claims, azp: 'other' }), 'issued to another client'],
    [
      async (claims) =>
        await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'key 1' }).sign(privateKey),
      'its signature is invalid',
    ],
    [
      async (claims) =>
        await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.clientSecret)),
      'its signature algorithm is not allowed (HS256)',
    ],
    [(claims) => Promise.resolve(new UnsecuredJWT(claims).encode()), 'Invalid ID token'],
  ];
  for (const [sign, reason] of cases) {
    provider.sign = sign;
    const { answer } = await signIn(gateway);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'sign_in_failed']);
    expect(answer.body.detail).toContain(reason);
  }
  expect((await gateway.ask('GET', '/v1/users')).body).toEqual([]);
});

test('provider keys are cached and fetched again after a rotation', async () => {
  const gateway = await start();
  const count = provider.keyRequests();
  await signIn(gateway);
  await signIn(gateway);
  expect(provider.keyRequests()).toBe(count + 1);
  await provider.rotate();
  expect((await signIn(gateway)).answer.status).toBe(302);
  expect(provider.keyRequests()).toBe(count + 2);
});

test('sign-in returns 503 if the provider is unavailable, and a gateway without sign-in has no sign-in routes and ignores session cookies', async () => {
  const down = await start({ issuer: 'http://127.0.0.1:9' });
  const { status, body } = await down.request('/auth/sign-in');
  expect([status, body.error.code]).toEqual([503, 'provider_unavailable']);
  const none = await open();
  expect((await none.request('/auth/sign-in')).status).toBe(404);
  const { key } = (await none.ask('POST', '/v1/keys', { scope: 'manage' })).body;
  const headers = { cookie: `gateway_session=${key}` };
  expect((await none.request('/v1/me', { headers })).body.error.code).toBe('missing_credentials');
});
