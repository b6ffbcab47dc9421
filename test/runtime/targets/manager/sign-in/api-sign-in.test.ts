import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { openManager } from '../mcp/managed.ts';
import { configured } from '../user-secrets/configured.ts';
import { type ProtectedServer, startProtectedServer } from './protected-server.ts';

const temp = useTempFolder();
const REDIRECT = 'http://127.0.0.1:9/callback';

const BODY = {
  required: true,
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { id: { type: 'integer' }, method: { type: 'string' } },
        required: ['id', 'method'],
      },
    },
  },
};
const operation = (operationId: string, security: readonly object[]): object => ({
  operationId,
  security,
  requestBody: BODY,
  responses: { 200: { description: 'ok' } },
});
const READ = { operationId: 'read', security: [{ user: ['read'] }], responses: {} };

/** The protected server as an API: the operation `greet` returns who is signed in. */
const documentWith = (greet: readonly object[], more: object = {}): object => ({
  openapi: '3.1.0',
  info: { title: 'Greetings', version: '1' },
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      user: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://evil.example/authorize',
            tokenUrl: 'https://evil.example/token',
            scopes: { use: 'Use the API' },
          },
        },
      },
    },
  },
  paths: { '/mcp': { post: operation('greet', greet), ...more } },
});
const DOCUMENT = documentWith([{ user: ['use'] }]);
const GREETING = { body: { id: 1, method: 'tools/call' } };

interface ApiOptions {
  readonly document?: object;
  /** Settings of the server, and of `[servers.api]`. */
  readonly server?: string;
  readonly api?: string;
}

const writeApi = (document: object): void =>
  writeFileSync(join(temp(), 'api.json'), JSON.stringify(document));

async function openApi(server: ProtectedServer, oauth: string, options: ApiOptions = {}) {
  const { document = DOCUMENT, server: own = 'tools = ["*"]', api = '' } = options;
  writeApi(document);
  const managed = await openManager({
    servers: configured(`
[[servers]]
name = "api"
openapi = "${join(temp(), 'api.json')}"
${own}
lazy = true
[servers.api]
base_url = "${server.origin}"
${api}
[servers.oauth]
issuer = "${server.origin}"
${oauth}
`),
    keys: [keyOf('ann'), keyOf('bob'), keyOf('admin', { admin: true })],
    signIns: openSignIns(temp(), { env: {} }),
  });
  onTestFinished(() => managed.close());
  const send = async (key: string, method: string, path: string, body?: object) => {
    const response = await fetch(`${managed.origin}/api/v1/servers/api/${path}`, {
      method,
      headers: { authorization: bearer(key), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const signIn = async (key: string, person: string) => {
    const started = await send(key, 'POST', 'sign-in', { redirectUri: REDIRECT });
    expect(started.status, started.text).toBe(200);
    const { authorizationUrl } = JSON.parse(started.text) as { authorizationUrl: string };
    // The document does not choose where users enter their credentials.
    expect(authorizationUrl).toMatch(new RegExp(`^${server.origin}/authorize\\?`));
    const query = await server.signIn(new URL(authorizationUrl), person);
    return await send(key, 'POST', 'sign-in/complete', { query });
  };
  return { managed, send, signIn, greet: (key: string) => send(key, 'POST', 'tools/greet', GREETING) };
}

test('an API with a sign-in for each user gets the token of its user, which is renewed, revoked and deleted', async () => {
  const server = await startProtectedServer();
  const { managed, send, signIn, greet } = await openApi(server, 'sign_in = "per_user"\nscope = "use"');
  const refused = await greet('ann');
  expect(refused.text).toContain(
    `Open ${managed.origin}/sign-in?server=api, or run \`mcp-manager login api\``,
  );
  expect((await signIn('ann', 'ann')).status).toBe(200);
  expect((await signIn('bob', 'bob')).status).toBe(200);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => greet(index % 2 === 0 ? 'ann' : 'bob')),
  );
  for (const [index, { status, text }] of answers.entries()) {
    expect([status, text]).toEqual([
      200,
      expect.stringContaining(`hello ${index % 2 === 0 ? 'ann' : 'bob'}`),
    ]);
  }
  expect(server.tokenRequests.map((form) => form.get('grant_type'))).toEqual([
    'authorization_code',
    'authorization_code',
  ]);
  // A rejected token is renewed once, and the call is repeated.
  server.rejectAccess();
  expect((await greet('ann')).text).toContain('hello ann');
  expect(server.tokenRequests.at(-1)?.get('grant_type')).toBe('refresh_token');

  expect((await send('ann', 'DELETE', 'sign-in')).text).toContain('"wasSignedIn":true');
  expect(server.revoked).toHaveLength(2);
  expect((await greet('ann')).text).toContain('mcp-manager login api');
  expect((await greet('bob')).text).toContain('hello bob');
  expect(readdirSync(temp()).filter((name) => name.startsWith('api-'))).toHaveLength(1);
});

test('an API with a shared sign-in requires an admin key to sign in, and all callers use it', async () => {
  const server = await startProtectedServer();
  const { send, signIn, greet } = await openApi(server, 'scope = "use"');
  expect((await greet('ann')).text).toContain('mcp-manager login api');
  expect((await send('ann', 'POST', 'sign-in', { redirectUri: REDIRECT })).status).toBe(403);
  expect((await signIn('admin', 'team')).status).toBe(200);
  for (const key of ['ann', 'bob']) expect((await greet(key)).text).toContain('hello team');
});

test('a token without the scope that the API requires is an error with the scope', async () => {
  const server = await startProtectedServer();
  const { signIn, greet } = await openApi(server, 'sign_in = "per_user"\nscope = "read"');
  expect((await signIn('ann', 'ann')).status).toBe(200);
  expect(server.authorizations.at(-1)?.get('scope')).toBe('read');
  const { text } = await greet('ann');
  expect(text).toContain('lacks permissions that the server requires (use)');
  // The next sign-in requests the missing scope as well.
  await signIn('ann', 'ann');
  expect(server.authorizations.at(-1)?.get('scope')?.split(' ').toSorted()).toEqual(['read', 'use']);
  expect((await greet('ann')).text).toContain('hello ann');
});

const scopesOf = (server: ProtectedServer): readonly string[] | undefined =>
  server.authorizations.at(-1)?.get('scope')?.split(' ').toSorted();

const SEVERAL = documentWith([{ user: ['use', 'greet'] }], {
  get: READ,
  delete: { operationId: 'remove', security: [{ user: ['admin'] }], responses: {} },
  put: { operationId: 'change', security: [{ key: [] }, { user: ['write'] }], responses: {} },
  patch: { operationId: 'optional', security: [{}, { user: ['more'] }], responses: {} },
  head: { operationId: 'peek', responses: {} },
});

test.each<[string, ApiOptions, readonly string[] | undefined]>([
  ['all operations', {}, ['admin', 'greet', 'read', 'use', 'write']],
  ['operations that are not excluded', { api: 'exclude = ["DELETE *"]' }, ['greet', 'read', 'use', 'write']],
  ['operations that are included', { api: 'include = ["GET *", "greet"]' }, ['greet', 'read', 'use']],
  ['allowed tools', { server: 'tools = ["read", "optional"]' }, ['read']],
  ['tools that only read', { server: 'tools = ["*"]\nread_only = true' }, ['read']],
  [
    'operations without a configured key',
    { api: 'credentials = { key = "k" }' },
    ['admin', 'greet', 'read', 'use'],
  ],
  ['no operation', { server: 'tools = ["peek"]' }, undefined],
])('a sign-in requests the scopes of %s', async (_what, options, scopes) => {
  const server = await startProtectedServer();
  server.resourceMetadata = { scopes_supported: undefined };
  const { signIn } = await openApi(server, 'sign_in = "per_user"', { document: SEVERAL, ...options });
  expect((await signIn('ann', 'ann')).status).toBe(200);
  expect(scopesOf(server)).toEqual(scopes);
});

test('configured scopes replace those of the document', async () => {
  const server = await startProtectedServer();
  const { signIn } = await openApi(server, 'sign_in = "per_user"\nscope = "other"');
  await signIn('ann', 'ann');
  expect(scopesOf(server)).toEqual(['other']);
});

test.each(['error and scope', 'scope'] as const)(
  'an API that requires a further scope, and responds with %s, is signed in to again with all scopes',
  async (challenge) => {
    const server = await startProtectedServer();
    server.callScope = 'extra';
    server.scopeChallenge = challenge;
    const { signIn, greet } = await openApi(server, 'sign_in = "per_user"');
    await signIn('ann', 'ann');
    expect((await greet('ann')).text).toContain(
      'lacks permissions that the server requires (extra). Run `mcp-manager login api`',
    );
    await signIn('ann', 'ann');
    expect(scopesOf(server)).toEqual(['extra', 'use']);
    expect((await greet('ann')).text).toContain('hello ann');
  },
);

test('an operation that requires a scope since the document has changed is an error with the scope', async () => {
  const server = await startProtectedServer();
  server.scopeChallenge = 'nothing';
  const { signIn, greet } = await openApi(server, 'sign_in = "per_user"');
  await signIn('ann', 'ann');
  expect((await greet('ann')).text).toContain('hello ann');
  server.callScope = 'extra';
  // Without a challenge and with the document's scopes, only the API knows what is missing.
  expect((await greet('ann')).text).not.toContain('mcp-manager login');
  writeApi(documentWith([{ user: ['use', 'extra'] }]));
  await expect
    .poll(async () => (await greet('ann')).text)
    .toContain('does not have the scopes that the document requires for this operation (extra)');
  await signIn('ann', 'ann');
  expect(scopesOf(server)).toEqual(['extra', 'use']);
  expect((await greet('ann')).text).toContain('hello ann');
});

test('scopes of a document that are invalid are ignored, and too many are an error', async () => {
  const server = await startProtectedServer();
  const invalid = documentWith([{ user: ['use', 'a b', 'a"b', '', 5, null, 'a\\b', 'ü'] }]);
  const { signIn } = await openApi(server, 'sign_in = "per_user"', { document: invalid });
  await signIn('ann', 'ann');
  expect(scopesOf(server)).toEqual(['use']);
  const many = documentWith([{ user: Array.from({ length: 101 }, (_, index) => `scope-${index}`) }]);
  const { send } = await openApi(server, 'sign_in = "per_user"', { document: many });
  const refused = await send('ann', 'POST', 'sign-in', { redirectUri: REDIRECT });
  expect(refused.text).toContain(
    'The document of api requires 101 scopes; the maximum is 100 scopes with 4000 characters. Set oauth.scope',
  );
});
