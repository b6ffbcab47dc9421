import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { commandCode } from '#gateway/accounts/sign-in/command-code.ts';
import type { OpenGateway } from './open-gateway.ts';
import { comeBack, cookieIn, signIn } from './sign-in-here.ts';
import { PUBLIC_URL, useSignIn } from './use-sign-in.ts';

const { provider, start } = useSignIn();
const verifier = 'v'.repeat(43);
const command = {
  port: '5555',
  state: '12345678',
  challenge: createHash('sha256').update(verifier).digest('base64url'),
};
const query = `?${new URLSearchParams(command).toString()}`;
const redeem = async ({ request }: OpenGateway, body: object) =>
  await request('/auth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
/** Signs in at the provider; returns the consent cookie. */
const asked = async (gateway: OpenGateway) => {
  const { answer } = await signIn(gateway, query);
  return { page: answer, cookie: cookieIn(answer.headers, 'gateway_consent') };
};
const consent = async (
  { request }: OpenGateway,
  cookie: string,
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
  answer = 'yes',
) => await request(`/auth/consent?answer=${answer}`, { method: 'POST', headers: { cookie, ...headers } });
const codeIn = (answer: { readonly headers: Headers }): string =>
  new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';

test('a browser session at the provider does not grant a key without confirmation', async () => {
  const gateway = await start();
  provider().claims = { sub: 'boss@<b>x', groups: ['ops'] };
  const { page } = await asked(gateway);
  expect([page.status, page.headers.get('location')]).toEqual([200, null]);
  expect(page.text).toContain('requests to sign in as boss@&lt;b&gt;x</strong> (role admin)');
  expect(page.text).toContain(`<code>${commandCode(command)}</code>`);
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:5555;");
  expect((await gateway.ask('GET', '/v1/keys')).body).toEqual([]);
});

test('the command exchanges the code from the browser for a key', async () => {
  const gateway = await start();
  const { cookie } = await asked(gateway);
  const answer = await consent(gateway, cookie);
  const location = new URL(answer.headers.get('location') ?? '');
  expect([answer.status, location.origin, location.searchParams.get('state')]).toEqual([
    303,
    'http://127.0.0.1:5555',
    '12345678',
  ]);
  const code = codeIn(answer);
  expect((await redeem(gateway, { code, verifier: 'w'.repeat(43) })).status).toBe(401);
  expect((await redeem(gateway, { code: `${code}x`, verifier })).status).toBe(401);
  const { status, body } = await redeem(gateway, { code, verifier });
  expect([status, body.user_id]).toEqual([200, 'ada']);
  const me = await gateway.request('/v1/me', { headers: { 'x-api-key': body.key } });
  expect(me.body.user_id).toBe('ada');
  // Other spellings of the same code: decoders ignore characters that are not base64.
  for (const again of [code, `${code}=`, `${code}\n`, ` ${code}`, `${code.slice(0, 9)}.${code.slice(9)}`])
    expect((await redeem(gateway, { code: again, verifier })).body.detail).toMatch(/has already been used/);
  const late = codeIn(await consent(gateway, (await asked(gateway)).cookie));
  gateway.clock.advance(60_000);
  expect((await redeem(gateway, { code: late, verifier })).status).toBe(401);
  for (const bad of ['?port=0', '?port=80', '?port=x&state=12345678&challenge=y'])
    expect((await gateway.request(`/auth/sign-in${bad}`)).status).toBe(422);
});

test('the confirmation must come from the confirmation page, in the browser that opened it', async () => {
  const gateway = await start();
  const { cookie } = await asked(gateway);
  for (const headers of [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: PUBLIC_URL },
    { 'sec-fetch-site': 'none' },
  ] as Record<string, string>[])
    expect((await consent(gateway, cookie, headers)).body.error.code).toBe('foreign_page');
  const { cookie: started } = await comeBack(gateway);
  for (const other of ['', `${cookie}x`, started.replace('gateway_sign_in', 'gateway_consent')])
    expect((await consent(gateway, other)).body.error.code).toBe('sign_in_failed');
  expect((await gateway.request('/auth/consent', { headers: { cookie } })).status).toBe(405);
  const refused = await consent(gateway, cookie, { origin: PUBLIC_URL }, 'no');
  expect(refused.headers.get('location')).toBe(
    'http://127.0.0.1:5555/callback?error=access_denied&state=12345678',
  );
  const late = await asked(gateway);
  gateway.clock.advance(600_000);
  expect((await consent(gateway, late.cookie)).body.error.code).toBe('sign_in_failed');
});
