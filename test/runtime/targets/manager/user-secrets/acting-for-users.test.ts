import { createLocalJWKSet, type JWK, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer } from '../access/key-of.ts';
import { startRemote } from '../upstream/remote-fixture.ts';
import { startExchangeServer, type ExchangeServer } from './exchange-server.ts';
import { configured } from './configured.ts';
import { openUsers } from './use-users.ts';

const temp = useTempFolder();
const RESOURCE = 'https://mcp.example';

/** A manager that accepts tokens of the issuer, with one remote server whose requests are recorded. */
async function openActing(issuer: ExchangeServer, oauth: (url: string) => string) {
  const remote = await startRemote('remote.mjs');
  const url = `${remote.url}/mcp`;
  const config = `[[servers]]\nname = "far"\nurl = "${url}"\ntools = ["*"]\n[servers.oauth]\n${oauth(url)}\n`;
  const users = await openUsers(config, {
    users: ['robot'],
    folder: temp(),
    oauth: {
      issuer: issuer.issuer,
      resource: RESOURCE,
      audiences: [],
      jwksUri: undefined,
      algorithms: ['ES256'],
      userClaim: 'sub',
      adminScope: undefined,
      scopes: undefined,
    },
  });
  const call = (token: string) => users.call(token, 'echo', { message: 'hello' }, 'far');
  /** The tokens of the tool calls, in order. */
  const tokens = (): string[] =>
    (remote.requests as { method: string; headers: Record<string, string> }[])
      .filter(
        ({ headers }) => headers['mcp-session-id'] !== undefined && headers['authorization'] !== undefined,
      )
      .map(({ headers }) => (headers['authorization'] ?? '').replace('Bearer ', ''));
  const tokenOf = (sub: string, scope = 'use') => issuer.sign({ sub, aud: RESOURCE, scope });
  return { ...users, url, call, tokens, tokenOf };
}

test('the token of a user is exchanged for one of the server, once, and each user gets an own one', async () => {
  const issuer = await startExchangeServer({ client: 'manager:hush' });
  const { call, tokens, tokenOf, url, managed } = await openActing(
    issuer,
    () =>
      `grant = "token_exchange"\nissuer = "${issuer.issuer}"\nclient_id = "manager"\nclient_secret = "hush"\nscope = "use"`,
  );
  const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')];
  const persons = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ann : bob));
  const answers = await Promise.all(persons.map((token) => call(token)));
  expect(answers.map(({ body }) => body)).toEqual(persons.map(() => 'hello'));
  expect(issuer.requests).toHaveLength(2);
  expect(Object.fromEntries(issuer.requests[0] ?? [])).toEqual({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: expect.any(String),
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    resource: url,
    scope: 'use',
  });
  const subjects = new Set<unknown>();
  for (const token of tokens()) subjects.add((await issuer.verify(token, url)).sub);
  expect(subjects).toEqual(new Set(['ann', 'bob']));
  // The token of the user itself is for the manager, and never leaves it for the server.
  expect(tokens()).not.toContain(ann);

  // A token with other scopes is exchanged for another one.
  await call(await tokenOf('ann', 'use more'));
  expect(issuer.requests).toHaveLength(3);
  expect(JSON.stringify(managed.logged)).not.toContain(tokens()[0]);
});

test('a key is not a token that can be exchanged, and a failed exchange is explained', async () => {
  const issuer = await startExchangeServer({ client: 'manager:hush' });
  const { call, tokenOf } = await openActing(
    issuer,
    () =>
      `grant = "token_exchange"\nissuer = "${issuer.issuer}"\nclient_id = "manager"\nclient_secret = "hush"`,
  );
  const refused = await call('robot');
  expect([refused.status, refused.body.detail]).toEqual([
    502,
    'server far: the manager exchanges your access token for one of the server, but you use a key. Use an access token.',
  ]);
  issuer.error = 'access_denied';
  const failed = await call(await tokenOf('ann'));
  expect(failed.body.detail).toContain('Cannot get a token for you for the server far');
  expect(failed.body.detail).toContain('access_denied');
});

test('cross-app access: an assertion of the identity provider is exchanged for a token of the server', async () => {
  const provider = await startExchangeServer({ client: 'idp-client:idp-secret' });
  const authorization = await startExchangeServer({ client: 'manager:hush', trusts: provider });
  const { call, tokens, tokenOf, url } = await openActing(
    provider,
    () =>
      `grant = "cross_app_access"\nissuer = "${authorization.issuer}"\nclient_id = "manager"\nclient_secret = "hush"\nidentity_provider = "${provider.issuer}"\nidentity_client_id = "idp-client"\nidentity_client_secret = "idp-secret"\nscope = "use"`,
  );
  const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')];
  const answers = await Promise.all([ann, bob, ann, bob].map((token) => call(token)));
  expect(answers.map(({ body }) => body)).toEqual(['hello', 'hello', 'hello', 'hello']);
  expect(provider.requests).toHaveLength(2);
  expect(Object.fromEntries(provider.requests[0] ?? [])).toMatchObject({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: authorization.issuer,
    resource: url,
    scope: 'use',
  });
  expect(Object.fromEntries(authorization.requests[0] ?? [])).toEqual({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: expect.any(String),
    scope: 'use',
  });
  const subjects = new Set<unknown>();
  for (const token of tokens()) subjects.add((await authorization.verify(token, url)).sub);
  expect(subjects).toEqual(new Set(['ann', 'bob']));
});

test('a signed identity is a short-lived JWT about the user, which verifies with the published key', async () => {
  const issuer = await startExchangeServer({ client: 'x:y' });
  const { call, tokens, tokenOf, url, managed, send } = await openActing(
    issuer,
    () => `grant = "signed_identity"\nissuer = "${RESOURCE}"`,
  );
  for (const token of [await tokenOf('ann'), 'robot']) expect((await call(token)).body).toBe('hello');
  const published = await fetch(`${managed.origin}/.well-known/jwks.json`);
  const { keys } = (await published.json()) as { keys: JWK[] };
  expect(keys).toEqual([
    {
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
      kid: expect.any(String),
      alg: 'ES256',
      use: 'sig',
    },
  ]);
  const subjects = new Set<unknown>();
  for (const token of tokens()) {
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys }), {
      issuer: RESOURCE,
      audience: url,
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(61);
    expect(payload.jti).toMatch(/^[\da-f-]{36}$/);
    subjects.add(`${payload.sub} ${String(payload['auth'])}`);
  }
  // The name of a key is not that of the user of a token.
  expect(subjects).toEqual(new Set(['ann access_token', 'key:robot api_key']));
  // The key is in the same files after a restart of the manager.
  expect((await send(undefined, 'GET', '/secrets')).status).toBe(401);
});

test('without a server that gets signed identities, no keys are published', async () => {
  const { managed } = await openUsers('', { users: ['ann'], folder: temp() });
  expect((await fetch(`${managed.origin}/.well-known/jwks.json`)).status).toBe(404);
});

test.each([
  ['grant = "token_exchange"\nclient_id = "a"', 'requires issuer'],
  ['grant = "token_exchange"\nissuer = "https://id.example"', 'requires client_id'],
  ['grant = "cross_app_access"\nclient_id = "a"', 'requires identity_provider'],
  ['grant = "signed_identity"', 'requires issuer'],
  [
    'grant = "cross_app_access"\nidentity_token = "jwt"',
    'identity_token must be access_token or id_token, not "jwt"',
  ],
  ['identity_token = "id_token"', 'identity_token requires grant = "cross_app_access"'],
  ['audience = "a"', 'audience requires grant = "token_exchange" or "signed_identity"'],
  ['grant = "magic"', 'grant must be one of authorization_code, client_credentials, token_exchange'],
])('%j is rejected', (oauth, problem) => {
  const text = `[[servers]]\nname = "a"\nurl = "https://a.example"\ntools = ["*"]\n[servers.oauth]\n${oauth}\n`;
  expect(() => configured(text)).toThrow(problem);
});

test('a bearer token of a manager with an identity provider is still required', async () => {
  const issuer = await startExchangeServer({ client: 'x:y' });
  const { managed } = await openActing(issuer, () => `grant = "signed_identity"\nissuer = "${RESOURCE}"`);
  const response = await fetch(`${managed.origin}/api/v1/servers/far/tools`, {
    headers: { authorization: bearer('nobody') },
  });
  expect(response.status).toBe(401);
});
