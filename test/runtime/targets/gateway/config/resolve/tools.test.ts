import { expect, test } from 'vitest';
import { problems, read } from '../read.ts';

const PROVIDERS = { ollama: {} };

test('the settings of MCP servers have defaults', async () => {
  const tools = { mcp_servers: { desk: { url: 'http://127.0.0.1:8090/mcp/desk' } } };
  const { models } = await read({ providers: PROVIDERS, tools });
  expect(models.tools).toMatchObject({
    otherServers: 'reject',
    maxRounds: 10,
    maxMs: 300_000,
    maxCost: undefined,
    maxResultCharacters: 100_000,
    listMs: 300_000,
    webSearch: undefined,
  });
  expect(models.tools?.servers.get('desk')).toMatchObject({ approval: 'never', timeoutMs: 60_000 });
  expect((await read({ providers: PROVIDERS })).models.tools).toBeUndefined();
});

test('headers of MCP servers are secrets', async () => {
  const tools = {
    mcp_servers: {
      desk: { url: 'https://mcp.example.com', headers: { Authorization: 'Bearer top-secret' } },
    },
  };
  const { secrets } = await read({ providers: PROVIDERS, tools });
  expect(JSON.stringify(secrets)).toContain('top-secret');
});

test('tokens of users need an issuer, which must use TLS, and take the place of a credential', async () => {
  const url = 'https://mcp.example.com/mcp';
  const server = { url, user_token_audience: url };
  const tools = { user_token_issuer: 'https://gateway.example.com', mcp_servers: { desk: server } };
  const { models } = await read({ providers: PROVIDERS, tools });
  expect(models.tools?.servers.get('desk')?.userToken).toEqual({
    issuer: 'https://gateway.example.com',
    audience: url,
  });
  const lines = async (settings: object): Promise<string[]> =>
    (await problems({ providers: PROVIDERS, tools: settings })).map((line) => line.replace(/^\S+ +/, ''));
  expect(await lines({ mcp_servers: { desk: server } })).toEqual([
    'tools.mcp_servers.desk.user_token_audience: requires `tools.user_token_issuer`, the URL of this gateway',
  ]);
  expect(
    await lines({
      user_token_issuer: 'http://gateway.example.com',
      mcp_servers: { desk: { ...server, headers: { authorization: 'Bearer key' } } },
    }),
  ).toEqual([
    'tools.user_token_issuer: expected a URL that begins with https:// (or http:// for localhost), without a query',
    'tools.mcp_servers.desk.user_token_audience: conflicts with the header `Authorization`; keep one of them',
  ]);
});

test('an audience is not empty, and one header has one source', async () => {
  const url = 'https://mcp.example.com/mcp';
  const found = await problems({
    providers: PROVIDERS,
    tools: {
      user_token_issuer: 'https://gateway.example.com',
      mcp_servers: {
        blank: { url, user_token_audience: ' ' },
        token: { url, user_token_audience: url, user_header: 'authorization' },
        fixed: { url, user_header: 'X-User', headers: { 'x-user': 'ada' } },
      },
    },
  });
  expect(found.map((line) => line.replace(/^\S+ +/, ''))).toEqual([
    'tools.mcp_servers.blank.user_token_audience: must not be empty',
    'tools.mcp_servers.token.user_header: conflicts with `user_token_audience`, which sets the same header; use another name',
    'tools.mcp_servers.fixed.user_header: conflicts with the header `x-user` in `headers`; keep one of them',
  ]);
});

test('mistakes in the settings of tools are reported', async () => {
  const url = 'http://127.0.0.1:8090/mcp';
  const found = await problems({
    providers: PROVIDERS,
    tools: {
      mcp_servers: {
        'de sk': { url },
        file: { url: 'file:///etc/passwd' },
        user: { url, user_header: 'X User' },
        late: { url, timeout: 'soon' },
      },
      web_search: { server: 'lat', tool: 'search' },
      max_cost: 'much',
    },
  });
  expect(found.map((line) => line.replace(/^\S+ +/, ''))).toEqual([
    'tools.mcp_servers.de sk: a label must consist of at most 32 letters, digits, `-` and `_`, and begin with a letter',
    'tools.mcp_servers.file.url: expected a URL that starts with http:// or https://',
    'tools.mcp_servers.user.user_header: is not a valid header name; use letters, digits and dashes, without spaces',
    expect.stringMatching(/^tools\.mcp_servers\.late\.timeout: expected a positive duration/),
    'tools.web_search.server: there is no server `lat`; did you mean `late`?',
    'tools.max_cost: expected an amount in dollars of at least 0, found "much"',
  ]);
});
