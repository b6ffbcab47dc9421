import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';
import { post } from './raw.ts';
import { type StatelessRequest, sendStateless, STATELESS_VERSION as VERSION } from './stateless-request.ts';
import { eventsOf } from './events.ts';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [
      serverSpec('echo', 'echo'),
      serverSpec('suite', 'conformance'),
      serverSpec('modern', 'modern-only'),
    ],
  });
  await Promise.all(['echo', 'suite', 'modern'].map((name) => managed.running(name)));
});
afterAll(() => managed.close());

interface Answer {
  readonly id: unknown;
  readonly result: Record<string, unknown>;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}
const ask = (method: string, asked: StatelessRequest = {}) => sendStateless(managed.origin, method, asked);
const answerTo = async (...asked: Parameters<typeof ask>): Promise<Answer> =>
  (await (await ask(...asked)).json()) as Answer;

test("a stateless client can discover the server's features", async () => {
  const answer = await ask('server/discover');
  expect(answer.headers.get('mcp-session-id')).toBeNull();
  expect(await answer.json()).toEqual({
    jsonrpc: '2.0',
    id: 7,
    result: {
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      supportedVersions: [VERSION],
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
        extensions: { 'io.modelcontextprotocol/ui': {}, 'io.modelcontextprotocol/tasks': {} },
      },
      instructions: expect.stringContaining('echo, modern, suite') as string,
      _meta: { [SERVER_INFO]: { name: 'mcp-manager', title: 'mcp-manager', version: '1.2.3' } },
    },
  });
  const { result } = await answerTo('server/discover', { path: '/mcp/echo' });
  expect(result).toMatchObject({
    instructions: 'Call the tools of echo.',
    _meta: { [SERVER_INFO]: { name: 'echo' } },
  });
});

describe('requests', () => {
  test('requests get the same JSON responses as in a session', async () => {
    const { result } = await answerTo('tools/call', {
      params: { name: 'echo__echo', arguments: { message: 'hi' } },
    });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'hi' }], resultType: 'complete' });
    const list = await answerTo('prompts/list', { path: '/mcp/echo' });
    expect(list.result).toMatchObject({ ttlMs: 0, cacheScope: 'private', resultType: 'complete' });
    expect(list.result['prompts']).toHaveLength(3);
  });

  test('requests are also forwarded to servers of this revision', async () => {
    const { result } = await answerTo('tools/list', { path: '/mcp/modern' });
    expect(result['tools']).not.toEqual([]);
  });

  test('failed requests return errors with status 200, and an unknown resource is reported as an invalid parameter', async () => {
    const failed = await ask('tools/call', {
      path: '/mcp/echo',
      params: { name: 'rpc-error', arguments: { code: -5 } },
    });
    expect(failed.status).toBe(200);
    expect(await failed.json()).toMatchObject({ id: 7, error: { code: -5, data: { hint: 'none' } } });
    const { error } = await answerTo('resources/read', { params: { uri: 'nope://x' } });
    expect(error).toMatchObject({ code: -32_602, data: { uri: 'nope://x' } });
  });

  test('an error code that is obsolete in this revision is replaced', async () => {
    const params = { name: 'echo__rpc-error', arguments: { code: -32_042 } };
    const { error } = await answerTo('tools/call', { params });
    expect(error).toMatchObject({ code: -32_603, data: { hint: 'none' } });
  });

  test('requests with a progress token return a stream', async () => {
    const answer = await ask('tools/call', {
      params: { name: 'echo__progress', arguments: { steps: 2 } },
      meta: { progressToken: 'mine' },
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const events = await Array.fromAsync(eventsOf(answer));
    expect(events).toHaveLength(3);
    expect(events.slice(0, 2)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'mine', progress: 1 } },
      { method: 'notifications/progress', params: { progressToken: 'mine', progress: 2 } },
    ]);
    expect(events[2]).toMatchObject({ id: 7, result: { content: [{ text: '2 steps' }] } });
  });

  test("responses include the server's log messages if requested", async () => {
    const params = { name: 'suite__test_tool_with_logging', arguments: {} };
    const level = (logLevel: string) => ({ 'io.modelcontextprotocol/logLevel': logLevel });
    const told = await Array.fromAsync(eventsOf(await ask('tools/call', { params, meta: level('info') })));
    expect(told).toHaveLength(4);
    expect(told[0]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'begun', logger: 'suite' },
    });
    const quiet = await answerTo('tools/call', { params, meta: level('error') });
    expect(quiet.result).toMatchObject({ content: [{ text: 'Logged three times.' }] });
    const wrong = await answerTo('tools/call', { params, meta: level('loud') });
    expect(wrong.error).toMatchObject({ code: -32_602 });
  });

  test.each([{}, { progressToken: 1 }])(
    'a request is canceled when its client disconnects: %j',
    async (meta) => {
      const leave = new AbortController();
      const sleeping = managed.nextLogLine('echo', /^sleeping/);
      const asked = ask('tools/call', {
        path: '/mcp/echo',
        params: { name: 'sleep-until-cancelled', arguments: {} },
        meta,
        signal: leave.signal,
      });
      asked.then((answer) => answer.text()).catch(() => undefined);
      await sleeping;
      const cancelled = managed.nextLogLine('echo', /^cancelled/);
      leave.abort();
      expect(await cancelled).toMatch(/^cancelled/);
    },
  );
});

describe('rejected requests', () => {
  const meta = (version: string) => ({ 'io.modelcontextprotocol/protocolVersion': version });
  test.each<[string, string, StatelessRequest, number, number]>([
    [
      'another version',
      'tools/list',
      { headers: { 'mcp-protocol-version': '2027-01-01' }, meta: meta('2027-01-01') },
      400,
      -32_022,
    ],
    [
      'a header that names another version',
      'tools/list',
      { headers: { 'mcp-protocol-version': '2027-01-01' } },
      400,
      -32_020,
    ],
    [
      'a header that names another method',
      'tools/list',
      { headers: { 'mcp-method': 'tools/call' } },
      400,
      -32_020,
    ],
    [
      'a header that names another tool',
      'tools/call',
      { params: { name: 'echo__echo' }, headers: { 'mcp-name': 'other' } },
      400,
      -32_020,
    ],
    [
      'a client without capabilities',
      'tools/list',
      { meta: { 'io.modelcontextprotocol/clientCapabilities': null } },
      400,
      -32_602,
    ],
    ['a removed method', 'ping', {}, 404, -32_601],
    [
      'a method that requires a session',
      'resources/subscribe',
      { params: { uri: 'test://static-text' } },
      404,
      -32_601,
    ],
  ])('rejects a request with %s', async (_what, method, asked, status, code) => {
    const answer = await ask(method, asked);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ id: 7, error: { code } });
  });

  test('a rejected version lists the supported ones', async () => {
    const { error } = await answerTo('tools/list', {
      headers: { 'mcp-protocol-version': '2027-01-01' },
      meta: meta('2027-01-01'),
    });
    expect(error.data).toEqual({ supported: [VERSION], requested: '2027-01-01' });
  });

  test.each([
    ['invalid JSON', 'nonsense', 400, -32_700],
    ['a batch', '[]', 400, -32_600],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', 400, -32_600],
  ])('rejects a body with %s', async (_what, body, status, code) => {
    const answer = await post(managed.origin, '/mcp', { body, headers: { 'mcp-protocol-version': VERSION } });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code } });
  });

  test('rejects a GET request that opens a stream', async () => {
    const answer = await fetch(new URL('/mcp', managed.origin), {
      headers: { 'mcp-protocol-version': VERSION },
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

test('a name that is not valid in a header is encoded', async () => {
  const name = 'echo__grüße';
  const { error } = await answerTo('tools/call', {
    params: { name },
    headers: { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` },
  });
  expect(error.message).toBe('tool not found: echo/grüße');
});
