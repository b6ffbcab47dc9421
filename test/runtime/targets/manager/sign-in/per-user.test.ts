import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { userOfKey } from '#manager/access/manager-access.ts';
import { openSignIns } from '#manager/sign-in/sign-in-store.ts';
import { sha256 } from '#platform/sha256.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { openManager } from '../mcp/managed.ts';
import { remoteLaunch } from '../upstream/remote-fixture.ts';
import { specOf } from '../upstream/spec.ts';
import { startProtectedServer } from './protected-server.ts';

const temp = useTempFolder();
const REDIRECT = 'http://127.0.0.1:9/callback';
const PATH = '/api/v1/servers/server';

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly text: string;
}

/** A manager whose users sign in to a protected server, with one key per user. */
async function usersOf(persons: readonly (string | KeyRecord)[]) {
  const server = await startProtectedServer();
  const launch = remoteLaunch(server.url, { oauth: { grant: 'authorization_code', perUser: true } });
  const managed = await openManager({
    servers: [{ ...specOf(launch), lazy: true, idleMs: 60_000 }],
    keys: persons.map((person) => (typeof person === 'string' ? keyOf(person) : person)),
    signIns: openSignIns(temp(), { env: {} }),
  });
  onTestFinished(() => managed.close());
  const send = async (key: string, method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(managed.origin + path, {
      method,
      headers: { authorization: bearer(key), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
  const call = (key: string) => send(key, 'POST', `${PATH}/tools/hello`, {});
  const start = async (key: string): Promise<URL> => {
    const { body, text } = await send(key, 'POST', `${PATH}/sign-in`, { redirectUri: REDIRECT });
    expect(text).toContain('authorizationUrl');
    return new URL(body.authorizationUrl);
  };
  const complete = (key: string, query: string) => send(key, 'POST', `${PATH}/sign-in/complete`, { query });
  const signIn = async (key: string, person = key): Promise<Answer> =>
    complete(key, await server.signIn(await start(key), person));
  /** Ends a user as after the revocation of its key. */
  const end = (key: string) =>
    managed.context.signIns.endUser(userOfKey(keyOf(key).hash), [managed.server('server').spec()]);
  return { server, managed, send, call, start, complete, signIn, end };
}

const hello = (client: Client) => client.callTool({ name: 'server__hello', arguments: {} });
const said = (person: string) => ({ content: [{ type: 'text', text: `hello ${person}` }] });

test("each user has a separate sign-in, and concurrent calls never use another user's token", async () => {
  const { managed, call, signIn, send } = await usersOf(['ann', 'bob']);
  const refused = await call('ann');
  expect([refused.status, refused.body.detail]).toEqual([
    502,
    `server server requires your sign-in. Open ${managed.origin}/sign-in?server=server, or run \`mcp-manager login server\`.`,
  ]);
  const signedIn = await Promise.all(['ann', 'bob'].map((person) => signIn(person)));
  expect(signedIn.map(({ body }) => body)).toEqual([
    expect.objectContaining({ server: 'server', state: 'signed-in', isShared: false }),
    expect.objectContaining({ state: 'signed-in' }),
  ]);
  const persons = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 'ann' : 'bob'));
  const answers = await Promise.all(persons.map((person) => call(person)));
  expect(answers.map(({ body }) => body)).toEqual(persons.map((person) => `hello ${person}`));
  expect(readdirSync(temp()).filter((name) => name.startsWith('server-'))).toHaveLength(2);
  expect(readdirSync(temp()).join(' ')).not.toMatch(/ann|bob/);

  expect((await send('ann', 'DELETE', `${PATH}/sign-in`)).body).toMatchObject({ wasSignedIn: true });
  expect((await call('ann')).status).toBe(502);
  expect((await call('bob')).body).toBe('hello bob');
  expect((await send('ann', 'GET', '/api/v1/health/servers/server')).body).not.toHaveProperty(
    'signIn',
    'signed-in',
  );
  expect((await send('bob', 'GET', '/api/v1/health/servers/server')).body).toHaveProperty(
    'signIn',
    'signed-in',
  );
});

test("a sign-in cannot be completed by another user, and a new sign-in cancels the user's previous one", async () => {
  const { server, start, complete, call } = await usersOf(['ann', 'bob']);
  const first = await server.signIn(await start('ann'), 'ann');
  const foreign = await complete('bob', first);
  expect([foreign.status, foreign.body.detail]).toEqual([
    422,
    'You have no pending sign-in to server that matches this URL. Start the sign-in again.',
  ]);
  const second = await server.signIn(await start('ann'), 'ann');
  expect((await complete('ann', first)).status).toBe(422);
  expect((await complete('ann', second)).status).toBe(200);
  expect((await complete('ann', second)).status).toBe(422);
  expect((await call('ann')).body).toBe('hello ann');
  expect((await call('bob')).status).toBe(502);
});

test("a new key with the same name does not inherit the old key's sign-in", async () => {
  const { call, signIn } = await usersOf([keyOf('old', { name: 'ann' }), keyOf('new', { name: 'ann' })]);
  await signIn('old', 'ann');
  expect((await call('old')).body).toBe('hello ann');
  expect((await call('new')).status).toBe(502);
});

test('a redirect URI on another host is rejected, and so is a caller without an identity', async () => {
  const { send, managed } = await usersOf(['ann']);
  for (const redirectUri of ['https://evil.example/signed-in', 'http://127.0.0.1/x', 'javascript:alert(1)']) {
    const { status, body } = await send('ann', 'POST', `${PATH}/sign-in`, { redirectUri });
    expect([status, body.detail]).toEqual([
      422,
      expect.stringContaining(`redirectUri must be ${managed.origin}`),
    ]);
  }
  const server = await startProtectedServer();
  const launch = remoteLaunch(server.url, { oauth: { grant: 'authorization_code', perUser: true } });
  const open = await openManager({ servers: [{ ...specOf(launch), lazy: true, idleMs: 60_000 }] });
  onTestFinished(() => open.close());
  for (const [method, path] of [
    ['POST', `${PATH}/tools/hello`],
    ['GET', `${PATH}/sign-in`],
  ] as const) {
    const headers = { 'content-type': 'application/json' };
    const body = method === 'POST' ? '{}' : null;
    const response = await fetch(open.origin + path, { method, headers, body });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('the manager cannot identify the caller. Use an API key or an access token.'),
    ]);
  }
});

test('an MCP client is asked to open the sign-in page, and the call continues afterwards', async () => {
  const { managed, signIn } = await usersOf(['ann', 'bob']);
  const client = await managed.connect(
    '/mcp',
    { authorization: bearer('ann') },
    { elicitation: { url: {} } },
  );
  const asked: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params);
    await signIn('ann');
    return { action: 'accept' };
  });
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
  expect((await client.listTools()).tools).toEqual([]);
  expect(await hello(client)).toEqual(said('ann'));
  expect(asked).toEqual([
    expect.objectContaining({ mode: 'url', url: `${managed.origin}/sign-in?server=server` }),
  ]);
  await expect.poll(() => changes).toBeGreaterThan(0);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['server__hello']);

  const other = await managed.connect('/mcp', { authorization: bearer('bob') });
  await expect(hello(other)).rejects.toThrow(`Open ${managed.origin}/sign-in?server=server`);
  expect((await other.listTools()).tools).toEqual([]);
});

test('a user who declines to sign in gets an error, and after the sign-in was revoked, a new sign-in is required', async () => {
  const { managed, server, signIn, call } = await usersOf(['ann']);
  const client = await managed.connect(
    '/mcp',
    { authorization: bearer('ann') },
    { elicitation: { url: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }));
  await expect(hello(client)).rejects.toThrow('requires your sign-in');
  await signIn('ann');
  expect(await hello(client)).toEqual(said('ann'));
  server.rejectAll();
  expect((await call('ann')).status).toBe(502);
  expect((await call('ann')).text).toContain('requires your sign-in');
});

test("after a user was ended, a pending sign-in of the user cannot be completed, and others' can", async () => {
  const { server, start, complete, call, end } = await usersOf(['ann', 'bob']);
  const [ann, bob] = [
    await server.signIn(await start('ann'), 'ann'),
    await server.signIn(await start('bob'), 'bob'),
  ];
  expect(await end('ann')).toEqual({ count: 0, notRevoked: [] });
  expect((await complete('ann', ann)).status).toBe(422);
  expect((await complete('bob', bob)).status).toBe(200);
  expect((await call('bob')).body).toBe('hello bob');
});

test('a user who is ended while the authorization server issues tokens gets no sign-in, and the tokens are revoked', async () => {
  const { server, start, complete, end } = await usersOf(['ann']);
  const query = await server.signIn(await start('ann'), 'ann');
  const { promise, resolve } = Promise.withResolvers<void>();
  server.beforeTokens = async () => {
    await end('ann');
    resolve();
  };
  const completed = await complete('ann', query);
  await promise;
  expect([completed.status, completed.body.detail]).toEqual([401, 'The API key is revoked.']);
  expect(server.revoked).toHaveLength(2);
  expect(readdirSync(temp()).filter((name) => name.startsWith('server-'))).toEqual([]);
});

test('tokens that the authorization server does not revoke are deleted, as are damaged files and those of removed servers', async () => {
  const { server, signIn, end } = await usersOf(['ann', 'bob']);
  await signIn('ann');
  await signIn('bob');
  const files = () => readdirSync(temp()).filter((name) => name.startsWith('server-'));
  const file = files().find((name) => name.endsWith(`-${hashOf('ann')}.json`)) ?? '';
  writeFileSync(join(temp(), file.replace('server-', 'removed-')), '{"salt": "x", "sealed": "y"}');
  server.serverMetadata = { revocation_endpoint: `${server.origin}/none` };
  await signIn('ann');
  const { count, notRevoked } = await end('ann');
  expect([count, notRevoked]).toEqual([2, [expect.stringMatching(/^server: .*404/)]]);
  expect(files()).toHaveLength(1);
  expect(readdirSync(temp()).filter((name) => name.startsWith('removed-'))).toEqual([]);

  const [bobs = ''] = files();
  writeFileSync(join(temp(), bobs), '{"salt": "x", "sealed": "y"}');
  expect(await end('bob')).toEqual({
    count: 1,
    notRevoked: [expect.stringContaining('cannot be decrypted')],
  });
  expect(files()).toEqual([]);
});

const hashOf = (key: string): string => sha256(userOfKey(keyOf(key).hash)).slice(0, 32);
