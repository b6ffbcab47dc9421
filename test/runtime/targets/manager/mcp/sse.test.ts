import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [serverSpec('echo', 'echo'), serverSpec('other', 'echo')],
    keys: [keyOf('full'), keyOf('narrow', { tools: ['echo/add'] })],
  });
  await Promise.all([managed.running('echo'), managed.running('other')]);
});
afterAll(() => managed.close());

const as = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

interface OpenStream {
  readonly endpoint: string;
  /** The next events, without comments. */
  readonly next: () => Promise<string>;
  readonly close: () => Promise<void>;
}

async function openStream(
  key: string,
  path = '/sse',
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const response = await fetch(new URL(path, managed.origin), { headers: { ...as(key), ...headers } });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
  const [, endpoint = ''] = /^event: endpoint\ndata: (\S+)\n\n$/.exec(await next()) ?? [];
  return { endpoint, next, close: () => reader.cancel() };
}

const post = (path: string, body: unknown, headers: Record<string, string> = as('full')): Promise<Response> =>
  fetch(new URL(path, managed.origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const initialize = (protocolVersion = '2024-11-05') => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {} },
});

test('a stream has the permissions of its key and cannot be used with another key', async () => {
  expect((await fetch(`${managed.origin}/sse`)).status).toBe(401);
  const client = new Client({ name: 'test', version: '1' });
  const url = new URL('/sse', managed.origin);
  await client.connect(new SSEClientTransport(url, { requestInit: { headers: as('narrow') } }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo__add']);
  await expect(client.callTool({ name: 'echo__echo', arguments: {} })).rejects.toThrow(/not allowed/);
  await client.close();

  const { endpoint, close } = await openStream('full', '/sse/echo?tools=echo/e*');
  expect(endpoint).toMatch(/^\/messages\?tools=echo\/e\*&sessionId=[\da-f-]{36}$/);
  expect((await post(endpoint, PING, as('narrow'))).status).toBe(404);
  expect((await post(endpoint, PING, {})).status).toBe(401);
  await close();
});

test('responses are sent on the stream, and malformed messages are rejected', async () => {
  const { endpoint, next, close } = await openStream('full');
  const answers: unknown[] = [];
  const answered = async (body: unknown): Promise<unknown> => {
    const response = await post(endpoint, body);
    expect([response.status, await response.text()]).toEqual([202, 'Accepted']);
    const [, data = ''] = /^event: message\ndata: (.*)\n\n$/.exec(await next()) ?? [];
    answers.push(data);
    return JSON.parse(data) as unknown;
  };
  expect(await answered({ jsonrpc: '2.0', id: 7, method: 'tools/list' })).toMatchObject({
    id: 7,
    error: { code: -32_600, message: expect.stringContaining('send `initialize`') as string },
  });
  expect(await answered(initialize())).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } });
  expect(await answered(initialize())).toMatchObject({
    error: { message: expect.stringContaining('already initialized') as string },
  });
  expect(await answered(PING)).toMatchObject({ id: 1, result: {} });

  for (const [path, body, status] of [
    ['/messages', PING, 400],
    ['/messages?sessionId=unknown', PING, 404],
    [endpoint, 'not json', 400],
    [endpoint, { id: 1 }, 400],
    [endpoint, [PING, PING], 400],
  ] as const)
    expect([path, (await post(path, body)).status]).toEqual([path, status]);
  const text = await post(endpoint, PING, { ...as('full'), 'content-type': 'text/plain' });
  expect(text.status).toBe(415);
  await close();
  await expect.poll(async () => (await post(endpoint, PING)).status).toBe(404);
});

test('web pages from other origins are rejected', async () => {
  const foreign = { origin: 'https://evil.example' };
  const response = await fetch(`${managed.origin}/sse`, { headers: { ...as('full'), ...foreign } });
  expect(response.status).toBe(403);
});

test('a batch gets a batch response in the revision that supports batches', async () => {
  const { endpoint, next, close } = await openStream('full');
  await post(endpoint, initialize('2025-03-26'));
  await next();
  expect((await post(endpoint, [PING, { ...PING, id: 2 }])).status).toBe(202);
  expect(await next()).toContain('data: [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,');
  await close();
});
