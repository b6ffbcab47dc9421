import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '#test/helpers/paths.ts';
import { createMcpEndpoints } from '#manager/mcp/mcp-endpoints.ts';
import { ANYONE } from '#manager/access/caller.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';
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

const CASES = Object.entries(REQUESTS).flatMap(([method, all]) => all.map((params) => ({ method, params })));

/** The clients of all tests use the folder, so it exists before the first one. */
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let managed: Managed;
/** Clients of the endpoint for all servers, of a group, of one server, and over stdio. */
let sessions: readonly Client[];
let local: Client;
beforeAll(async () => {
  managed = await openManager({
    keys: [keyOf('all'), keyOf('limited', { servers: ['open'] })],
    groups: [{ name: 'team', servers: ['open'], tools: [], prompts: [], resources: [] }],
    // A lazy server starts when the first request reaches it.
    servers: [serverSpec('open', 'echo'), serverSpec('secret', 'echo', { lazy: true })],
  });
  await managed.running('open');
  local = await connectLocal();
  const limited = { authorization: bearer('limited') };
  sessions = [
    await managed.connect('/mcp', limited),
    await managed.connect('/groups/team/mcp', { authorization: bearer('all') }),
    await managed.connect('/mcp/open', limited),
    local,
  ];
});
afterAll(async () => {
  await local.close();
  await managed.close();
});

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

test('the requests cover every method of the endpoints', async () => {
  const endpoints = createMcpEndpoints(managed.context, {});
  const methods = [undefined, 'open'].flatMap((server) => [
    ...endpoints.endpointFor(ANYONE, server).methods.keys(),
  ]);
  await endpoints.close();
  expect(Object.keys(REQUESTS)).toEqual(expect.arrayContaining(methods));
});

/** Whether an outcome reveals nothing about the server, apart from what the request contained. */
const isHidden = (outcome: unknown): boolean => !JSON.stringify(outcome).includes('secret');

async function outcomeOf(client: Client, method: string, params: object): Promise<unknown> {
  try {
    return await client.request({ method, params: { ...params } }, ResultSchema);
  } catch (error) {
    return { error: Number((error as { code: unknown }).code) };
  }
}

describe('a server that a client cannot use', () => {
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

  test('was never started', () => {
    expect(managed.server('secret').status()).toMatchObject({ phase: 'idle' });
    expect(managed.server('secret').status().pid).toBeUndefined();
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });
});
