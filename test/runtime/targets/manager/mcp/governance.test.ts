import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '#test/helpers/paths.ts';
import { createMcpEndpoints } from '#manager/mcp/mcp-endpoints.ts';
import { ANYONE } from '#manager/access/caller.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';
import { configured } from '../user-secrets/configured.ts';
import { serverTable } from '../user-secrets/use-users.ts';
import { post } from './raw.ts';
import { sendStateless } from './stateless-request.ts';

/** Every method that a client can send, with parameters that refer to the server `secret`, which the client cannot use. */
const REQUESTS: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  'tools/list': [{}],
  'prompts/list': [{}],
  'resources/list': [{}],
  'resources/templates/list': [{}],
  'tools/call': [
    { name: 'secret__echo', arguments: { message: 'x' } },
    { name: 'SECRET__echo', arguments: { message: 'x' } },
    { name: 'secret__echo', arguments: { message: 'x' }, task: {} },
    { name: 'secret__echo', arguments: { message: 'x' }, _meta: { 'mcp-manager/app': 'secret' } },
  ],
  'prompts/get': [{ name: 'secret__greet', arguments: {} }],
  'resources/read': [{ uri: 'mcp:secret:memo://one' }, { uri: 'ui://mcp-manager/secret/page' }],
  'resources/subscribe': [{ uri: 'mcp:secret:memo://one' }, { uri: 'ui://mcp-manager/secret/page' }],
  'resources/unsubscribe': [{ uri: 'mcp:secret:memo://one' }],
  'completion/complete': [
    { ref: { type: 'ref/prompt', name: 'secret__greet' }, argument: { name: 'name', value: '' } },
    { ref: { type: 'ref/resource', uri: 'mcp:secret:memo://{id}' }, argument: { name: 'id', value: '' } },
  ],
  'logging/setLevel': [{ level: 'debug' }],
  'tasks/get': [{ taskId: 'task-1' }],
  'tasks/list': [{}],
  'tasks/result': [{ taskId: 'task-1' }],
  'tasks/cancel': [{ taskId: 'task-1' }],
  'tasks/update': [{ taskId: 'task-1', inputResponses: {} }],
  ping: [{}],
};

/** Calls of the tools of search and code mode. The scripts hide the name, so that a result cannot repeat it. */
const NAME = '"sec" .. "ret"';
const MODE_CALLS: readonly Record<string, unknown>[] = [
  { name: 'search_tools', arguments: { query: 'echo a message' } },
  { name: 'search_tools', arguments: { query: '' } },
  { name: 'call_tool', arguments: { name: 'secret__echo', arguments: { message: 'x' } } },
  { name: 'mcp_manager_read_more', arguments: { cursor: 'a' } },
  { name: 'mcp_manager_read_more', arguments: { id: '1', from: 0 } },
  ...[
    'local names = {} for name in pairs(tools) do names[#names + 1] = name end return names',
    `local ok = pcall(function() return tools[${NAME}].echo{ message = "x" } end) return ok`,
    `local ok = pcall(function() return prompts[${NAME}].greet{} end) return ok`,
    `local ok = pcall(function() return resources.read("mcp:" .. ${NAME} .. ":memo://one") end) return ok`,
  ].map((script) => ({ name: 'run_script', arguments: { script } })),
];

const CASES = Object.entries(REQUESTS).flatMap(([method, all]) => all.map((params) => ({ method, params })));

/** The clients of all tests use the folder, so it exists before the first one. */
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
let local: Client;
/** Receives the requests to servers that are not processes; the number of requests by path. */
const received = new Map<string, number>();
const remote = createServer(({ url = '' }, response) => {
  received.set(url, (received.get(url) ?? 0) + 1);
  response.writeHead(404).end();
});
beforeAll(async () => {
  local = await connectLocal();
  remote.listen(0, '127.0.0.1');
  await once(remote, 'listening');
});
afterAll(async () => {
  await local.close();
  remote.closeAllConnections();
  remote.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The server `secret`, of each kind. It is lazy, so that it starts when the first request reaches it. */
const KINDS: Readonly<Record<string, (url: string) => string>> = {
  'a process': () => serverTable('secret', 'echo.mjs', 'lazy = true'),
  'a process for each user': () => serverTable('secret', 'echo.mjs', 'env = { WHO = "${user.id}" }'),
  'a server with streamable HTTP': (url) => remoteTable(`url = "${url}/http"`),
  'a server with server-sent events': (url) => remoteTable(`url = "${url}/sse"\ntransport = "sse"`),
  'a server with a connection for each user': (url) =>
    remoteTable(`url = "${url}/user"\nheaders = { X-User = "\${user.id}" }`),
  'a server with a sign-in for each user': (url) =>
    remoteTable(`url = "${url}/sign-in"\n[servers.oauth]\nsign_in = "per_user"`),
  'a REST API': (url) => remoteTable(`openapi = "${url}/openapi.json"`),
};
const remoteTable = (keys: string): string =>
  `\n[[servers]]\nname = "secret"\ntools = ["*"]\nlazy = true\n${keys}\n`;

/** A client of `mcp-manager stdio --local --group team`, in a process of its own. */
async function connectLocal(): Promise<Client> {
  const echo = join(ROOT, 'fixtures/mcp-servers/echo.mjs');
  const started = `require('fs').writeFileSync(${JSON.stringify(join(folder, 'started'))}, '')`;
  const server = (name: string, args: readonly string[]): string =>
    `[[servers]]\nname = "${name}"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\ntools = ["*"]\nlazy = true\n`;
  const config = join(folder, 'mcpd.toml');
  writeFileSync(
    config,
    `${server('open', [echo])}${server('secret', ['-e', started])}[[groups]]\nname = "team"\nservers = ["open"]\n`,
  );
  const client = new Client({ name: 'test', version: '1.0.0' });
  const main = join(ROOT, 'runtime/targets/manager/main.ts');
  const files = ['--config', config, '--runtime-file', join(folder, 'secrets.toml')];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [main, 'stdio', '--local', '--group', 'team', ...files],
      stderr: 'ignore',
    }),
  );
  return client;
}

/** A script that returns whether a call of the server fails in the same way as one of a server that does not exist. */
const SAME_FAILURE = `
local function failure(name)
  local ok, reason = pcall(function() return tools[name].echo{ message = "x" } end)
  return tostring(ok) .. string.gsub(tostring(reason), name, "")
end
return failure(${NAME}) == failure("nobody")`;

/** Whether an outcome reveals nothing about the server, apart from what the request contained. */
const isHidden = (outcome: unknown): boolean => !JSON.stringify(outcome).includes('secret');

async function outcomeOf(client: Client, method: string, params: object): Promise<unknown> {
  try {
    return await client.request({ method, params: { ...params } }, ResultSchema);
  } catch (error) {
    return { error: Number((error as { code: unknown }).code) };
  }
}

describe.each(Object.keys(KINDS))('%s that a client cannot use', (kind) => {
  let managed: Managed;
  /** Clients of the endpoint for all servers in each mode, of a group, of one server, and over stdio. */
  let sessions: readonly Client[];
  let modes: readonly Client[];
  beforeAll(async () => {
    received.clear();
    const { port } = remote.address() as AddressInfo;
    const secret = configured(KINDS[kind]?.(`http://127.0.0.1:${port}`) ?? '');
    managed = await openManager({
      keys: [keyOf('all'), keyOf('limited', { servers: ['open'] })],
      groups: [{ name: 'team', servers: ['open'], tools: [], prompts: [], resources: [] }],
      clientModes: ['all', 'search', 'code'],
      servers: [serverSpec('open', 'echo'), ...secret],
    });
    await managed.running('open');
    const limited = { authorization: bearer('limited') };
    modes = [
      await managed.connect('/mcp?mode=search', limited),
      await managed.connect('/mcp?mode=code', limited),
      await managed.connect('/groups/team/mcp?mode=code', { authorization: bearer('all') }),
    ];
    sessions = [
      await managed.connect('/mcp', limited),
      await managed.connect('/groups/team/mcp', { authorization: bearer('all') }),
      await managed.connect('/mcp/open', limited),
      local,
      ...modes,
    ];
  });
  afterAll(() => managed.close());
  /** Whether a request has reached the server. */
  const wasReached = (): boolean =>
    received.size > 0 ||
    managed.server('secret').status().pid !== undefined ||
    (managed.server('secret').instances()?.running ?? 0) > 0;

  test('the requests cover every method of the endpoints', async () => {
    const kernel = { ...managed.context.kernel, metrics: new Registry() };
    const context = { ...managed.context, kernel };
    const endpoints = createMcpEndpoints(context, { clientModes: ['search', 'code'] });
    const methods = [undefined, 'open'].flatMap((server) =>
      [undefined, 'search', 'code'].flatMap((mode) => [
        ...endpoints.endpointFor(ANYONE, server, mode).methods.keys(),
      ]),
    );
    await endpoints.close();
    expect(Object.keys(REQUESTS)).toEqual(expect.arrayContaining(methods));
  });

  test.each(MODE_CALLS)(
    'is not reached by the call $name $arguments in search and code mode',
    async (params) => {
      for (const client of modes) {
        const outcome = await outcomeOf(client, 'tools/call', params);
        expect(isHidden(outcome), JSON.stringify(outcome)).toBe(true);
      }
    },
  );

  test.each(CASES)('is not reached by $method $params with a session', async ({ method, params }) => {
    for (const client of sessions) {
      expect(isHidden(await outcomeOf(client, method, params))).toBe(true);
    }
  });

  test.each(CASES)('is not reached by $method $params without a session', async ({ method, params }) => {
    for (const [path, key] of [
      ['/mcp', 'limited'],
      ['/groups/team/mcp', 'all'],
      ['/mcp/open', 'limited'],
    ]) {
      const headers = { authorization: bearer(String(key)) };
      const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
      const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
      const response = await sendStateless(managed.origin, method, {
        path: String(path),
        params,
        headers,
        meta,
      });
      const { result } = (await response.json()) as { result?: unknown };
      expect(isHidden(result ?? {})).toBe(true);
    }
  });

  test.each(Object.keys(REQUESTS))('has no endpoint for %s', async (method) => {
    const paths = [
      ['/mcp/secret', 'limited'],
      ['/groups/team/mcp/secret', 'all'],
    ] as const;
    for (const [path, key] of paths) {
      const headers = { authorization: bearer(key) };
      const body = { jsonrpc: '2.0', id: 1, method, params: {} };
      expect((await post(managed.origin, path, { headers, body })).status).toBe(404);
    }
  });

  test('has no endpoint for clients without streamable HTTP', async () => {
    for (const [path, key] of [
      ['/sse/secret', 'limited'],
      ['/groups/team/sse/secret', 'all'],
    ] as const) {
      const headers = { authorization: bearer(key), accept: 'text/event-stream' };
      expect((await fetch(managed.origin + path, { headers })).status).toBe(404);
    }
  });

  test('fails in a script like a server that does not exist', async () => {
    for (const client of modes.slice(1)) {
      const params = { name: 'run_script', arguments: { script: SAME_FAILURE } };
      expect(await client.callTool(params)).toMatchObject({ content: [{ text: 'true' }] });
    }
  });

  test('was never started, although a client that can use it reaches it', async () => {
    expect(wasReached()).toBe(false);
    expect(existsSync(join(folder, 'started'))).toBe(false);
    const headers = { authorization: bearer('all') };
    await sendStateless(managed.origin, 'tools/call', {
      path: '/mcp/secret',
      params: { name: 'echo', arguments: { message: 'x' } },
      headers,
    });
    expect(wasReached()).toBe(kind !== 'a server with a sign-in for each user');
  });
});
