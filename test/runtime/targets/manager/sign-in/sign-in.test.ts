import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SignInSettings } from '#manager/config/spec.ts';
import { login } from '#manager/sign-in/login.ts';
import { logout } from '#manager/sign-in/logout.ts';
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';
import type { Connection } from '#manager/upstream/connection.ts';
import { openConnection } from '#manager/upstream/open-connection.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { remoteLaunch } from '../upstream/remote-fixture.ts';
import { specOf } from '../upstream/spec.ts';
import { type ProtectedServer, startProtectedServer } from './protected-server.ts';

const temp = useTempFolder();
const PATIENCE = { timeoutMs: 10_000 };

function signingIn(server: ProtectedServer, settings: Partial<SignInSettings> = {}) {
  const spec = specOf(remoteLaunch(server.url, { oauth: { grant: 'authorization_code', ...settings } }));
  const secrets: string[] = [];
  const newStore = () => openSignIns(temp(), { env: {}, onSecret: ({ value }) => secrets.push(value) });
  const store = newStore();
  const pages: { status: number; text: string }[] = [];
  const signIn = (browse = (url: URL) => server.browse(url)) =>
    login(spec, {
      store,
      show: (url) => void browse(url).then((page) => pages.push(page)),
      onProblem: () => undefined,
      timeoutMs: 5000,
    });
  const open = async (from = store): Promise<Connection> => {
    const hooks = { onLog: () => undefined, onNotification: () => undefined, signIns: from };
    const connection = await openConnection(spec, hooks);
    onTestFinished(() => connection.close());
    return connection;
  };
  const target = { server: spec.name, url: server.url };
  return { spec, store, newStore, pages, secrets, signIn, open, target };
}

const hello = (connection: Connection): Promise<unknown> =>
  connection.request('tools/call', { name: 'hello', arguments: {} }, PATIENCE);
const HELLO = { content: [{ type: 'text', text: 'hello' }] };

test('without a sign-in, the error explains how to sign in, and calls succeed from the sign-in until logout', async () => {
  const server = await startProtectedServer();
  const { spec, store, open, signIn, pages, secrets, target } = signingIn(server);
  expect(store.stateOf(target)).toBeUndefined();
  await expect(open()).rejects.toThrow('The server requires a sign-in. Run `mcp-manager login server`.');
  expect(store.stateOf(target)).toBe('required');

  const { tokens } = await signIn();
  expect(store.stateOf(target)).toBe('signed-in');
  await expect
    .poll(() => pages)
    .toEqual([{ status: 200, text: 'Signed in to server. You can close this page.\n' }]);
  const [asked] = server.authorizations;
  expect(Object.fromEntries(asked ?? [])).toMatchObject({
    response_type: 'code',
    client_id: 'client-1',
    code_challenge_method: 'S256',
    resource: server.url,
    scope: 'use',
  });
  expect(server.tokenRequests[0]?.get('resource')).toBe(server.url);
  const connection = await open();
  expect(await hello(connection)).toEqual(HELLO);
  expect(secrets).toContain(tokens?.access);

  const stored = readdirSync(temp()).map((name) => ({ name, path: join(temp(), name) }));
  expect(stored.map(({ name }) => name.replace(/-[\da-f]{12}/, '-HASH')).toSorted()).toEqual([
    'changes',
    'key',
    'server-HASH.json',
  ]);
  for (const { path } of stored) {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toMatch(/access|refresh|client-1/);
  }

  expect(await logout(spec, store)).toEqual({ wasSignedIn: true, notRevoked: undefined });
  expect(server.revoked).toEqual([tokens?.refresh, tokens?.access]);
  await expect(hello(connection)).rejects.toThrow('requires a sign-in');
  expect(await logout(spec, store)).toEqual({ wasSignedIn: false, notRevoked: undefined });
});

test('concurrent requests and two processes use a refresh token only once', async () => {
  const server = await startProtectedServer();
  const { open, signIn, newStore } = signingIn(server);
  await signIn();
  const connections = await Promise.all([open(), open(newStore())]);
  server.rejectAccess();
  const calls = connections.flatMap((connection) => [1, 2, 3, 4].map(() => hello(connection)));
  expect(await Promise.all(calls)).toEqual(calls.map(() => HELLO));
  const refreshes = server.tokenRequests.filter((form) => form.get('grant_type') === 'refresh_token');
  expect(refreshes).toHaveLength(1);
  expect(refreshes[0]?.get('resource')).toBe(server.url);
});

test('a token is refreshed before it expires, and a revoked refresh token requires a new sign-in', async () => {
  const server = await startProtectedServer();
  const { store, open, signIn, target } = signingIn(server);
  // Shorter than the margin, so that each request refreshes.
  server.lifetime = 5;
  await signIn();
  const connection = await open();
  expect(await hello(connection)).toEqual(HELLO);
  expect(server.tokenRequests.length).toBeGreaterThan(2);
  server.rejectAll();
  await expect(hello(connection)).rejects.toThrow('The server requires a sign-in.');
  expect(store.stateOf(target)).toBe('required');
  await signIn();
  expect(await hello(connection)).toEqual(HELLO);
});

test('tokens are bound to a key if the server requires it, even after a refresh and in another process', async () => {
  const server = await startProtectedServer();
  server.requiresDpop = true;
  const { store, open, signIn, newStore, secrets, target } = signingIn(server);
  const { tokens, dpopKey } = await signIn();
  expect([tokens?.isBound, JSON.parse(dpopKey ?? '{}')]).toEqual([
    true,
    expect.objectContaining({ kty: 'EC', crv: 'P-256' }),
  ]);
  expect(secrets).not.toContain(undefined);
  const connections = await Promise.all([open(), open(newStore())]);
  expect(await Promise.all(connections.map(hello))).toEqual([HELLO, HELLO]);
  server.rejectAccess();
  expect(await Promise.all(connections.map(hello))).toEqual([HELLO, HELLO]);
  expect(store.read(target)?.dpopKey).toBe(dpopKey);
  // Without the key, the token is useless.
  const stolen = await fetch(server.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${store.read(target)?.tokens?.access}` },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  expect(stolen.status).toBe(401);
});

test('missing scopes are requested at the next sign-in, in addition to the scopes that were granted', async () => {
  const server = await startProtectedServer();
  server.callScope = 'write';
  const { open, signIn } = signingIn(server);
  await signIn();
  const connection = await open();
  await expect(hello(connection)).rejects.toThrow(
    'The sign-in lacks permissions that the server requires (write). Run `mcp-manager login server`.',
  );
  await signIn();
  expect(server.authorizations.map((asked) => asked.get('scope'))).toEqual(['use', 'use write']);
  expect(await hello(connection)).toEqual(HELLO);
});

test('a sign-in uses the configured client, a metadata document, or a client registered only once', async () => {
  const server = await startProtectedServer();
  const clientMetadataUrl = 'https://client.example/mcp-manager.json';
  const clientOf = async (settings: Partial<SignInSettings>): Promise<string | null | undefined> => {
    await signingIn(server, settings).signIn();
    return server.authorizations.at(-1)?.get('client_id');
  };
  expect(await clientOf({ clientId: 'known' })).toBe('known');
  expect(await clientOf({ clientMetadataUrl })).toBe('client-1');
  expect(await clientOf({ clientMetadataUrl })).toBe('client-1');
  server.serverMetadata = { client_id_metadata_document_supported: true };
  expect(await clientOf({ clientMetadataUrl })).toBe(clientMetadataUrl);
  expect(server.registrations).toBe(1);
  const redirectUri = `${server.origin}/callback`;
  await expect(clientOf({ redirectUri })).rejects.toThrow(
    `Cannot listen for the sign-in at ${redirectUri}: the port is in use.`,
  );
  const alone = await startProtectedServer();
  alone.serverMetadata = { registration_endpoint: undefined };
  await expect(signingIn(alone).signIn()).rejects.toThrow(
    'does not support dynamic client registration. Register a client there',
  );
});

test.each([
  ['another state', { state: 'x' }, 'the sign-in was not completed in time'],
  ['another issuer', { iss: 'https://evil.example' }, 'has the wrong iss'],
  ['no issuer', { iss: undefined }, 'has the wrong iss'],
  [
    'an access_denied error',
    { code: undefined, error: 'access_denied', error_description: 'no' },
    'access_denied: no',
  ],
  ['a wrong code', { code: 'wrong' }, 'did not return a token: invalid_grant: no fit'],
])('a redirect with %s does not complete a sign-in', async (_what, redirect, reason) => {
  const server = await startProtectedServer();
  server.redirect = redirect;
  const { spec, store, target, pages } = signingIn(server);
  const options = {
    store,
    onProblem: () => undefined,
    timeoutMs: reason.startsWith('the sign-in') ? 300 : 5000,
  };
  const show = (url: URL) => void server.browse(url).then((page) => pages.push(page));
  await expect(login(spec, { ...options, show })).rejects.toThrow(`Not signed in to server: `);
  await expect(login(spec, { ...options, show })).rejects.toThrow(reason);
  expect(pages.map(({ status }) => status)).not.toContain(200);
  expect(store.read(target)).toBeUndefined();
});

test.each([
  ['no PKCE', { code_challenge_methods_supported: undefined }, {}, 'does not support PKCE'],
  ['another issuer', { issuer: 'https://evil.example' }, {}, 'has another `issuer`'],
  ['another resource', {}, { resource: 'https://other.example/mcp' }, 'is for a different resource'],
  ['a script', { authorization_endpoint: 'javascript:alert(1)' }, {}, 'must be an http:// or https:// URL'],
  [
    'a name before the host',
    { authorization_endpoint: 'https://bank.example@evil.example/authorize' },
    {},
    'must be an http:// or https:// URL without credentials',
  ],
  [
    'a metadata service',
    { token_endpoint: 'http://169.254.169.254/token' },
    {},
    '169.254.169.254 has the address 169.254.169.254, which is not public',
  ],
])('metadata with %s is rejected', async (_what, serverMetadata, resourceMetadata, reason) => {
  const server = await startProtectedServer();
  Object.assign(server, { serverMetadata, resourceMetadata });
  await expect(signingIn(server).signIn()).rejects.toThrow(reason);
});

test('a sign-in that was copied or belongs to another key cannot be read', async () => {
  const server = await startProtectedServer();
  const { signIn, target } = signingIn(server);
  await signIn();
  const other = openSignIns(temp(), {
    env: { MCP_MANAGER_SIGN_IN_KEY: 'another key of at least 32 characters' },
  });
  expect(() => other.read(target)).toThrow(/cannot be decrypted.*Run|cannot be decrypted/);
  expect(other.stateOf(target)).toBeUndefined();
  const short = openSignIns(temp(), { env: { MCP_MANAGER_SIGN_IN_KEY: 'short' } });
  expect(() => short.read(target)).toThrow('must have at least 32 characters');
});
