import { expect, test } from 'vitest';
import { createMcpHttp, type McpHttp, type McpHttpOptions } from '#serve/mcp/streamable-http.ts';
import { type Example, example } from './example-server.ts';
import { manualClock } from './manual-clock.ts';
import { call, type Endpoint, endpoint, INITIALIZE, messages } from './requests.ts';

interface Opened extends Endpoint {
  readonly mcp: McpHttp;
  readonly server: Example;
}

function open(options: Partial<McpHttpOptions> = {}): Opened {
  const server = example();
  const mcp = createMcpHttp({ hostname: '127.0.0.1', createServer: () => server.server, ...options });
  return { mcp, server, ...endpoint(mcp) };
}

const session = (id: string): Record<string, string> => ({ 'mcp-session-id': id });

test('a session exists from initialize to DELETE', async () => {
  const { mcp, post, send, initialize } = open();
  const id = await initialize();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  expect(mcp.sessions()).toBe(1);
  const answer = await post(call(2, 'echo'), session(id));
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await messages(answer)).toMatchObject([{ id: 2, result: { content: [{ text: 'null' }] } }]);
  expect((await send('DELETE', session(id))).status).toBe(200);
  expect(mcp.sessions()).toBe(0);
  expect((await post(call(3, 'echo'), session(id))).status).toBe(404);
});

test('a request without a session returns 400, and a request with an unknown session returns 404', async () => {
  const { mcp, post, send } = open();
  for (const method of ['GET', 'DELETE']) {
    expect((await send(method)).status).toBe(400);
    expect((await send(method, session('none'))).status).toBe(404);
  }
  const missing = await post(call(1, 'echo'));
  expect({ status: missing.status, type: missing.headers.get('content-type') }).toEqual({
    status: 400,
    type: 'application/json',
  });
  const unknown = await post(call(1, 'echo'), session('none'));
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toEqual({
    jsonrpc: '2.0',
    error: { code: -32_001, message: 'Session not found. Send `initialize` again.' },
    id: null,
  });
  expect(mcp.sessions()).toBe(0);
});

test('other methods, content types and oversized bodies are rejected', async () => {
  const { mcp, post, send, initialize } = open({ maxBodyBytes: 1000 });
  const id = await initialize();
  const put = await send('PUT', session(id));
  expect({ status: put.status, allow: put.headers.get('allow') }).toEqual({
    status: 405,
    allow: 'GET, POST, DELETE',
  });
  const statuses = async (headers: Record<string, string>, body: unknown): Promise<number[]> => [
    (await post(body, headers)).status,
    (await post(body, { ...headers, ...session(id) })).status,
  ];
  expect(await statuses({ accept: 'application/json' }, INITIALIZE)).toEqual([406, 406]);
  expect((await post(call(1, 'echo'), { ...session(id), accept: '*/*' })).status).toBe(200);
  expect(await statuses({ 'content-type': 'text/plain' }, INITIALIZE)).toEqual([415, 415]);
  expect(await statuses({}, '{')).toEqual([400, 400]);
  expect(await statuses({}, { ...INITIALIZE, padding: 'x'.repeat(2000) })).toEqual([413, 413]);
  expect((await send('GET', { ...session(id), accept: 'application/json' })).status).toBe(406);
  const version = { ...session(id), 'mcp-protocol-version': '1999-01-01' };
  expect((await post(call(2, 'echo'), version)).status).toBe(400);
  expect((await post(INITIALIZE, session(id))).status).toBe(400);
  expect(mcp.sessions()).toBe(1);
});

test('a foreign host or origin is rejected before anything else', async () => {
  const { mcp, post, send } = open();
  const evil = { host: 'evil.example', origin: 'http://evil.example' };
  const refused = await post(INITIALIZE, evil);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('evil.example') } });
  expect((await post(INITIALIZE, { origin: 'http://evil.example' })).status).toBe(403);
  expect((await send('DELETE', { ...evil, ...session('none') })).status).toBe(403);
  expect(mcp.sessions()).toBe(0);
});

test('one GET stream per session can be opened, and keeps the session alive', async () => {
  const clock = manualClock();
  const { mcp, send, initialize } = open({ clock, idleMilliseconds: 1000 });
  const id = await initialize();
  const headers = { ...session(id), accept: 'text/event-stream' };
  const stream = await send('GET', headers);
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  expect((await send('GET', headers)).status).toBe(409);
  clock.advance(5000);
  expect(mcp.sessions()).toBe(1);
  await stream.body?.cancel();
  clock.advance(999);
  expect(mcp.sessions()).toBe(1);
  clock.advance(1001);
  expect(mcp.sessions()).toBe(0);
  expect((await send('GET', headers)).status).toBe(404);
});

test('a session expires if it is idle, but not during a request', async () => {
  const clock = manualClock();
  const { mcp, server, post, initialize } = open({ clock, idleMilliseconds: 1000 });
  const [busy, idle] = [await initialize(), await initialize()];
  const started = server.next('started');
  const answer = post(call(2, 'wait'), session(busy));
  await started;
  clock.advance(5000);
  expect(mcp.sessions()).toBe(1);
  expect((await post(call(2, 'echo'), session(idle))).status).toBe(404);
  server.release();
  expect(await messages(await answer)).toHaveLength(1);
  clock.advance(999);
  expect((await post(call(3, 'echo'), session(busy))).status).toBe(200);
});

test('at the session limit, the session that has been idle the longest is replaced; if all sessions are in use, 503 is returned', async () => {
  const { mcp, server, post, initialize } = open({ maxSessions: 2 });
  const [first, second] = [await initialize(), await initialize()];
  await messages(await post(call(2, 'echo'), session(first)));
  const third = await initialize();
  expect(mcp.sessions()).toBe(2);
  expect((await post(call(2, 'echo'), session(second))).status).toBe(404);
  const started = [server.next('started'), server.next('started')];
  const answers = [post(call(3, 'wait'), session(first)), post(call(3, 'wait'), session(third))];
  await Promise.all(started);
  const refused = await post(INITIALIZE);
  expect({ status: refused.status, retry: refused.headers.get('retry-after') }).toEqual({
    status: 503,
    retry: '1',
  });
  expect(await refused.json()).toMatchObject({ error: { code: -32_000 } });
  server.release();
  for (const answer of answers) expect(await messages(await answer)).toMatchObject([{ id: 3, result: {} }]);
  expect((await post(INITIALIZE)).status).toBe(200);
  expect(mcp.sessions()).toBe(2);
});

test('a canceled request gets no response, and its stream ends', async () => {
  const { server, post, initialize } = open();
  const id = await initialize();
  const started = server.next('started');
  const answer = post(call(7, 'wait'), session(id));
  await started;
  const cancelled = server.next('cancelled');
  const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  expect((await post(notification, session(id))).status).toBe(202);
  await cancelled;
  expect(await (await answer).text()).toBe('');
  expect(await messages(await post(call(7, 'echo'), session(id)))).toMatchObject([{ id: 7, result: {} }]);
});

test.each([true, false])(
  'a client that disconnects cancels its request only if configured: %s',
  async (cancelWhenGone) => {
    const { mcp, server, post, initialize } = open({ cancelWhenGone });
    const id = await initialize();
    const started = server.next('started');
    const leave = new AbortController();
    post(call(7, 'wait'), session(id), leave.signal).catch(() => undefined);
    await started;
    let cancelled = false;
    void server.next('cancelled').then(() => (cancelled = true));
    leave.abort();
    expect(await messages(await post(call(8, 'echo'), session(id)))).toHaveLength(1);
    expect(cancelled).toBe(cancelWhenGone);
    server.release();
    await mcp.close();
  },
);

test('close waits for accepted requests, closes streams, and accepts no more requests', async () => {
  const clock = manualClock();
  const { mcp, server, post, send, initialize } = open({ clock });
  const [busy, listening] = [await initialize(), await initialize()];
  const stream = await send('GET', { ...session(listening), accept: 'text/event-stream' });
  const started = server.next('started');
  const answer = post(call(2, 'wait'), session(busy));
  await started;
  const closed = mcp.close();
  expect((await post(call(3, 'echo'), session(busy))).status).toBe(503);
  expect((await post(INITIALIZE)).status).toBe(503);
  expect(await stream.text()).toBe('');
  server.release();
  expect(await messages(await answer)).toMatchObject([{ id: 2, result: {} }]);
  await closed;
  expect({ sessions: mcp.sessions(), timers: clock.timers }).toEqual({ sessions: 0, timers: 0 });
});

test('close has a timeout', async () => {
  const { mcp, server, post, initialize } = open();
  const id = await initialize();
  const started = server.next('started');
  const answer = post(call(2, 'wait'), session(id));
  await started;
  const cancelled = server.next('cancelled');
  await mcp.close(0);
  await cancelled;
  expect(await (await answer).text()).toBe('');
});
