import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createManagerAccess } from '#manager/access/manager-access.ts';
import { createTokenAccess } from '#manager/access/token-access.ts';
import { keyOf } from './key-of.ts';

const RESOURCE = 'https://mcp.example';

/** An issuer of opaque tokens: its responses and the requests that it received. */
async function startIssuer(answers: Readonly<Record<string, object>>) {
  const requests: { readonly token: string | null; readonly authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const json = (status: number, value: object): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.url === '/.well-known/oauth-authorization-server') {
        return json(200, { issuer, introspection_endpoint: `${issuer}/introspect` });
      }
      if (request.url !== '/introspect') return json(404, {});
      const token = new URLSearchParams(body).get('token');
      requests.push({ token, authorization: request.headers.authorization });
      const found = answers[token ?? ''];
      return found === undefined ? json(500, {}) : json(200, found);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, requests };
}

test('an opaque token is introspected only once, and is accepted only if it is active and was issued for this manager', async () => {
  const good = { active: true, aud: RESOURCE, sub: 'ann', scope: 'use', exp: 2000 };
  const { issuer, requests } = await startIssuer({
    good,
    short: { ...good, exp: 1010 },
    inactive: { active: false },
    'other-audience': { ...good, aud: 'https://other.example' },
    'no-audience': { ...good, aud: undefined },
    'other-issuer': { ...good, iss: 'https://evil.example' },
    expired: { ...good, exp: 999 },
    bound: { ...good, cnf: { jkt: 'x' } },
    text: { ...good, active: 'true' },
  });
  let now = 1_000_000;
  const tokens = createTokenAccess(
    {
      issuer,
      resource: RESOURCE,
      audiences: [],
      jwksUri: undefined,
      algorithms: ['ES256'],
      userClaim: 'sub',
      adminScope: undefined,
      scopes: new Map([['use', ['one']]]),
      introspection: { clientId: 'manager', url: undefined },
    },
    { now: () => now, introspectionSecret: 'the-secret' },
  );
  onTestFinished(() => tokens.close());
  const access = createManagerAccess({ keys: () => [keyOf('mcpm_key')] }, () => now, tokens);
  const check = (token: string) => access.checkToken?.(`Bearer ${token}`) ?? Promise.resolve(undefined);

  const callers = await Promise.all([check('good'), check('good'), check('good')]);
  expect(callers.map((caller) => caller?.name)).toEqual(['user:ann', 'user:ann', 'user:ann']);
  const [caller] = callers as unknown as { canUse(server: string): boolean; user: string }[];
  expect([caller?.canUse('one'), caller?.canUse('two')]).toEqual([true, false]);
  expect(caller?.user).toContain('ann');
  expect(requests).toEqual([
    { token: 'good', authorization: `Basic ${Buffer.from('manager:the-secret').toString('base64')}` },
  ]);
  // A key is not sent to the issuer.
  expect(await check('mcpm_key')).toBeUndefined();
  expect(access.check('Bearer mcpm_key').name).toBe('mcpm_key');

  for (const [token, reason] of [
    ['inactive', 'it is not active'],
    ['text', 'it is not active'],
    ['other-audience', 'it is for a different audience'],
    ['no-audience', 'it is for a different audience'],
    ['other-issuer', 'its issuer is not the configured issuer'],
    ['expired', 'it has expired'],
    ['bound', 'it is bound to a client key'],
  ] as const) {
    await expect(check(token)).rejects.toThrow(`Invalid access token: ${reason}`);
    await expect(check(token)).rejects.toMatchObject({ code: 'UnauthorizedError' });
  }
  expect(requests.filter(({ token }) => token === 'inactive')).toHaveLength(1);
  await expect(check('broken')).rejects.toMatchObject({ code: 'UnavailableError' });
  await expect(check('broken')).rejects.toThrow('The token issuer is unavailable');
  expect(requests.filter(({ token }) => token === 'broken')).toHaveLength(2);

  // Results are cached for 30 s, or until the token expires.
  await check('short');
  now += 11_000;
  await check('good');
  expect(requests.filter(({ token }) => token === 'good')).toHaveLength(1);
  await expect(check('short')).rejects.toThrow('it has expired');
  expect(requests.filter(({ token }) => token === 'short')).toHaveLength(2);
  now += 20_000;
  await check('good');
  expect(requests.filter(({ token }) => token === 'good')).toHaveLength(2);
});
