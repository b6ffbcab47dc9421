import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect } from 'vitest';
import { PLAIN_AGENTS } from '../../runtime/targets/gateway/requests/tools/plain-agents.ts';
import { startDesk, startStrictModel } from '../../runtime/targets/gateway/requests/tools/tool-gateway.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import type { Api } from '../shared-services.ts';
import { verifiesOnce } from '../verifies.ts';
import { environmentOf } from './arms.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, asKey, PROVIDER_KEY } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = useGateways();
const { run } = useGatewayProcesses();
const temp = useTempFolder();
const [model, desk, sealing] = [await startStrictModel(), await startDesk(), await startDesk(0, true)];

const providers = {
  openai: { api_base: `${model.url}/v1`, api_key: PROVIDER_KEY, dialect: { responses: true } },
  anthropic: { api_base: model.url, api_key: PROVIDER_KEY },
};
const server = { url: desk.url, allowed_tools: ['read_file', 'edit_file', 'stamp'] };
const CONFIG = { providers, allow_unpriced: true, tools: { mcp_servers: { desk: server } } };
const TEXT = 'Edit /tmp/desk/notes.txt';
const DONE = 'Done: the notes are edited and stamped.';
const messages = [{ role: 'user', content: TEXT }];
const tools = [{ type: 'mcp', server_label: 'desk' }];
const CHAT = '/v1/chat/completions';

const usageOf = async (api: Api, user: string): Promise<number> =>
  (await api.get(`/v1/users/${user}/usage`, AS_MASTER)).body.length;

verifiesGateway('gateway:tools', async (arm) => {
  const api = await start(arm, { config: CONFIG });
  const key = asKey(await createKey(api, { user_id: 'ada' }));
  const before = desk.calls.length;
  const contents = [{ role: 'user', parts: [{ text: TEXT }] }];
  const requests = [
    [CHAT, { model: 'anthropic:one', messages, tools }],
    [CHAT, { model: 'openai:one', messages, tools, stream: true }],
    ['/v1/responses', { model: 'anthropic:one', input: TEXT, tools, stream: true }],
    ['/v1/messages', { model: 'openai:one', max_tokens: 99, messages, tools }],
    ['/v1beta/models/openai:one:generateContent', { contents, tools }],
  ] as const;
  for (const [path, body] of requests) {
    const { status, text } = await api.post(path, body, key);
    expect([path, status, text]).toEqual([path, 200, expect.stringContaining(DONE)]);
  }
  expect(desk.calls.slice(before)).toHaveLength(4 * requests.length);
  expect(await usageOf(api, 'ada')).toBe(4 * requests.length);
});

verifiesGateway('gateway:tools:agents', async (arm) => {
  const seal = { url: sealing.url, allowed_tools: ['seal'] };
  const api = await start(arm, { config: { ...CONFIG, tools: { mcp_servers: { desk: seal } } } });
  const key = asKey(await createKey(api, { user_id: 'agent', tools: ['desk'] }));
  for (const [name, agent] of Object.entries(PLAIN_AGENTS)) {
    const before = sealing.calls.length;
    const [path, first] = agent.request(`anthropic:${arm.name}-${name.replaceAll(/\W+/g, '-')}`, false);
    const called: (readonly string[])[] = [];
    for (let body = first; ;) {
      const { status, text } = await api.post(path, body, key);
      expect([name, status, text]).toEqual([name, 200, expect.any(String)]);
      const turn = agent.read(text, false);
      if (turn.calls.length === 0) break;
      called.push(turn.calls);
      body = { ...body, [agent.list]: [...(body[agent.list] as unknown[]), ...turn.next] };
    }
    expect([name, called]).toEqual([name, [['read', 'read'], ['edit']]]);
    expect([name, sealing.calls.length - before]).toEqual([name, 3]);
  }
});

verifiesGateway('gateway:tools:users', async (arm) => {
  const claims = { issuer: 'https://gateway.example.com', audience: 'https://mcp.example.com' };
  const named = { ...server, user_token_audience: claims.audience };
  const config = { ...CONFIG, tools: { user_token_issuer: claims.issuer, mcp_servers: { desk: named } } };
  const api = await start(arm, { config });
  const users = ['ann', 'ben'];
  for (const user of users) {
    const key = asKey(await createKey(api, { user_id: user }));
    const before = desk.headers.length;
    expect((await api.post(CHAT, { model: 'openai:one', messages, tools }, key)).status).toBe(200);
    const tokens = desk.headers.slice(before).map(({ authorization }) => String(authorization).slice(7));
    expect(tokens.length).toBeGreaterThan(0);
    const keys = createLocalJWKSet((await api.get('/.well-known/jwks.json')).body as JSONWebKeySet);
    for (const token of tokens) expect((await jwtVerify(token, keys, claims)).payload.sub).toBe(user);
  }
});

verifiesGateway('gateway:tools:mistakes', async (arm) => {
  const api = await start(arm, { config: CONFIG });
  const key = asKey(await createKey(api, { user_id: 'eve' }));
  const sendWith = async (tool: object) =>
    await api.post(CHAT, { model: 'openai:mistakes', messages, tools: [{ type: 'mcp', ...tool }] }, key);
  const unknown = (name: string) =>
    `MCP server "${name}" is not available. Use the label of a server that the administrator has configured.`;
  const other = await sendWith({ server_label: 'dsk' });
  expect([other.status, other.body.error.message]).toEqual([422, unknown('dsk')]);
  const elsewhere = await sendWith({ server_label: 'desk', server_url: 'http://127.0.0.1:9/mcp' });
  expect([elsewhere.status, elsewhere.body.error.message]).toEqual([422, unknown('desk')]);
  const line = {
    custom_id: 'one',
    method: 'POST',
    url: CHAT,
    body: { model: 'openai:mistakes', messages, tools },
  };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new File([JSON.stringify(line)], 'batch.jsonl'));
  const batch = await fetch(`${api.url}/v1/files`, { method: 'POST', headers: key, body: form });
  const { error } = (await batch.json()) as { readonly error: { readonly message: string } };
  expect([batch.status, error.message]).toEqual([
    422,
    expect.stringContaining('Line 1 of the batch file: MCP server "desk" cannot be used here'),
  ]);
  expect(await usageOf(api, 'eve')).toBe(0);
  expect((await model.book('mistakes')).answers).toBe(0);
});

verifiesGateway('gateway:tools:down', async (arm) => {
  // A free port, on which the server starts later.
  const reserved = createServer().listen(0, '127.0.0.1');
  await once(reserved, 'listening');
  const { port } = reserved.address() as AddressInfo;
  reserved.close();
  await once(reserved, 'close');
  const url = `http://127.0.0.1:${port}/mcp`;
  const api = await start(arm, {
    config: { ...CONFIG, tools: { mcp_servers: { desk: { ...server, url } } } },
  });
  const key = asKey(await createKey(api, { user_id: 'bob' }));
  const body = { model: 'openai:down', messages, tools };
  const { status, body: failed } = await api.post(CHAT, body, key);
  expect([status, failed.error.code, failed.error.message]).toEqual([
    502,
    'mcp_server_unavailable',
    "Cannot list the tools: MCP server 'desk' is unavailable.",
  ]);
  expect(await usageOf(api, 'bob')).toBe(0);
  expect(
    (await api.post(CHAT, { model: 'openai:down', messages: [{ role: 'user', content: 'Hello' }] }, key))
      .status,
  ).toBe(200);
  await startDesk(port);
  const { text } = await api.post(CHAT, body, key);
  expect(text).toContain(DONE);
});

verifiesGateway('gateway:tools:metrics', async (arm) => {
  const api = await start(arm, { config: CONFIG });
  const key = asKey(await createKey(api, { user_id: 'metrics' }));
  expect((await api.post(CHAT, { model: 'openai:metrics', messages, tools }, key)).status).toBe(200);
  const { text } = await api.get('/metrics', AS_MASTER);
  expect(text).toMatch(/^gateway_tool_calls_total\{server="desk",outcome="success"\} [1-9]\d*$/m);
  expect(text).toMatch(/^gateway_tool_calls_total\{server="desk",outcome="error"\} [1-9]\d*$/m);
  expect(text).toMatch(/^gateway_tool_call_duration_seconds_count\{server="desk"\} [1-9]\d*$/m);
});

verifiesOnce('gateway-process:tools-config', async () => {
  const file = join(temp(), 'gateway.yml');
  const failing = async (lines: string): Promise<string> => {
    writeFileSync(file, `tools:\n${lines}`, { mode: 0o600 });
    const args = ['serve', '--port', '0', '--data-dir', join(temp(), 'data'), '--config', file];
    const { ended, stderr } = run(args, environmentOf({}));
    expect(await ended).toBe(1);
    expect(stderr()).not.toMatch(/\n +at /);
    return stderr();
  };
  const servers = (text: string) => failing(`  mcp_servers: {${text}}\n`);
  const at = String.raw`gateway\.yml:2:\d+ {2}tools\.mcp_servers\.`;
  expect(await servers('desk: {url: "127.0.0.1:8090"}')).toMatch(
    new RegExp(`${at}desk\\.url: expected a URL that starts with http:// or https://`),
  );
  expect(await servers('desk: {url: "http://ada:pw-of-ada@127.0.0.1/mcp"}')).toMatch(
    new RegExp(`${at}desk\\.url: contains credentials; use \`headers\` instead`),
  );
  expect(await servers('desk: {url: "http://127.0.0.1/mcp?key=1"}')).toMatch(
    new RegExp(`${at}desk\\.url: expected a URL without a query`),
  );
  expect(await servers('"my desk": {url: "http://127.0.0.1/mcp"}')).toMatch(/a label must consist of/);
  expect(await servers('desk: {headers: {a: b}}')).toMatch(/url/);
  expect(
    await failing(
      '  mcp_servers: {desk: {url: "http://127.0.0.1/mcp"}}\n  web_search: {server: dsk, tool: find}\n',
    ),
  ).toMatch(/tools\.web_search\.server: there is no server `dsk`; did you mean `desk`\?/);
  expect(await failing('  other_servers: allow\n')).toMatch(
    /other_servers.*"reject".*"provider"|reject.*provider/,
  );
});
