import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTokenIssuer, type TokenIssuer } from '#test/helpers/token-issuer.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { type Managed, openManager } from '../mcp/managed.ts';
import { sendStateless } from '../mcp/stateless-request.ts';
import { serverSpec } from '../server-spec.ts';

const RESOURCE = 'https://mcp.example';
let issuer: TokenIssuer;
let managed: Managed;
beforeAll(async () => {
  issuer = await startTokenIssuer(RESOURCE);
  managed = await openManager({
    servers: [serverSpec('echo', 'echo'), serverSpec('other', 'echo')],
    keys: [keyOf('a-key', { servers: ['other'] })],
    oauth: {
      issuer: issuer.issuer,
      resource: RESOURCE,
      audiences: [],
      jwksUri: undefined,
      algorithms: ['ES256'],
      userClaim: 'sub',
      adminScope: 'admin',
      modeClaim: 'mcp_mode',
      scopes: new Map([
        ['add', ['echo/add']],
        ['all', ['*']],
      ]),
    },
  });
  await Promise.all([managed.running('echo'), managed.running('other')]);
});
afterAll(async () => {
  await managed.close();
  await issuer.close();
});

const METADATA = `${RESOURCE}/.well-known/oauth-protected-resource`;
const get = (path: string, token?: string): Promise<Response> =>
  fetch(managed.origin + path, token === undefined ? {} : { headers: { authorization: bearer(token) } });
const add = async (server: string, token: string): Promise<Response> =>
  await fetch(`${managed.origin}/api/v1/servers/${server}/tools/add`, {
    method: 'POST',
    headers: { authorization: bearer(token), 'content-type': 'application/json' },
    body: '{"a":1,"b":2}',
  });

test('the metadata names the resource of each MCP endpoint and does not require a token', async () => {
  for (const path of ['', '/mcp', '/mcp/echo']) {
    const response = await get(`/.well-known/oauth-protected-resource${path}`);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({
      resource: `${RESOURCE}${path}`,
      authorization_servers: [issuer.issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'mcp-manager',
      scopes_supported: ['add', 'all', 'admin'],
    });
  }
  expect((await get('/.well-known/oauth-protected-resource/api')).status).toBe(401);
});

test('a request without a valid token gets the URL of the metadata', async () => {
  const none = await fetch(`${managed.origin}/mcp/echo`, { method: 'POST', body: '{}' });
  expect(none.status).toBe(401);
  expect(none.headers.get('www-authenticate')).toBe(
    `Bearer scope="add all", resource_metadata="${METADATA}/mcp/echo"`,
  );
  for (const token of [
    await issuer.token({ exp: 1 }),
    await issuer.token({ aud: 'https://other.example' }),
    'no-key',
  ]) {
    const wrong = await get('/api/v1/servers', token);
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", scope="add all", resource_metadata="${METADATA}"`,
    );
    expect(await wrong.text()).not.toContain(token);
  }
});

test('scopes control servers, tools and admin access, in REST and MCP', async () => {
  const [adder, all, admin] = await Promise.all(
    ['add', 'all', 'all admin'].map((scope) => issuer.token({ scope })),
  );
  if (adder === undefined || all === undefined || admin === undefined) throw new Error('no tokens');
  expect(await (await get('/api/v1/servers', adder)).json()).toEqual(['echo']);
  expect((await add('echo', adder)).status).toBe(200);
  const refused = await add('other', adder);
  expect(refused.status).toBe(403);
  expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  expect((await add('other', all)).status).toBe(200);
  expect((await get('/api/v1/admin/status', all)).status).toBe(403);
  expect((await get('/api/v1/admin/status', admin)).status).toBe(200);

  const client = await managed.connect('/mcp', { authorization: bearer(adder) });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo__add']);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const headers = {
    authorization: bearer(adder),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const endpoint = await fetch(`${managed.origin}/mcp/other`, { method: 'POST', headers, body });
  expect(endpoint.status).toBe(403);
  expect(endpoint.headers.get('www-authenticate')).toContain(`resource_metadata="${METADATA}/mcp/other"`);
});

test('a token for one server gives access only to that server, and keys and tokens can be used on the same manager', async () => {
  const narrow = await issuer.token({ aud: `${RESOURCE}/mcp/echo`, scope: 'all' });
  expect(await (await get('/api/v1/servers', narrow)).json()).toEqual(['echo']);
  expect(await (await get('/api/v1/servers', 'a-key')).json()).toEqual(['other']);
});

test('logs contain the user name and no token', async () => {
  const token = await issuer.token({ scope: 'all', sub: 'eve' });
  await add('echo', token);
  await expect.poll(() => JSON.stringify(managed.logged)).toContain('"caller":"user:eve"');
  expect(JSON.stringify(managed.logged)).not.toContain(token.split('.')[2]);
});

test('a token has the mode in its claim, in sessions and without', async () => {
  const toolsFor = async (claims: object): Promise<readonly string[]> => {
    const authorization = bearer(await issuer.token({ scope: 'all', ...claims }));
    const client = await managed.connect('/mcp', { authorization });
    const listed = (await client.listTools()).tools.map(({ name }) => name);
    const stateless = await sendStateless(managed.origin, 'tools/list', { headers: { authorization } });
    for (const name of listed) expect(await stateless.clone().text()).toContain(`"${name}"`);
    return listed;
  };
  expect(await toolsFor({ mcp_mode: 'code' })).toEqual(['search_tools', 'run_script']);
  expect(await toolsFor({ mcp_mode: 'search' })).toEqual(['search_tools', 'call_tool']);
  expect(await toolsFor({})).toContain('echo__add');
  const wrong = await get('/api/v1/servers', await issuer.token({ scope: 'all', mcp_mode: 'lua' }));
  expect([wrong.status, await wrong.text()]).toEqual([
    401,
    expect.stringContaining('the claim mcp_mode must be all, search or code'),
  ]);
});
