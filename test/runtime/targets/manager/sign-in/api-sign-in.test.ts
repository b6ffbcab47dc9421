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

/** The protected server as an API: the operation returns who is signed in. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Greetings', version: '1' },
  components: {
    securitySchemes: {
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
  paths: {
    '/mcp': {
      post: {
        operationId: 'greet',
        security: [{ user: ['use'] }],
        requestBody: {
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
        },
        responses: { 200: { description: 'ok' } },
      },
    },
  },
};
const GREETING = { body: { id: 1, method: 'tools/call' } };

async function openApi(server: ProtectedServer, oauth: string) {
  writeFileSync(join(temp(), 'api.json'), JSON.stringify(DOCUMENT));
  const managed = await openManager({
    servers: configured(`
[[servers]]
name = "api"
openapi = "${join(temp(), 'api.json')}"
tools = ["*"]
lazy = true
[servers.api]
base_url = "${server.origin}"
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
