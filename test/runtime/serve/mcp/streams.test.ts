import { expect, test } from 'vitest';
import { createMcpHttp, type McpHttpOptions } from '#serve/mcp/streamable-http.ts';
import { type Example, example } from './example-server.ts';
import { call, type Endpoint, endpoint, INITIALIZE, messages } from './requests.ts';

interface Opened extends Endpoint {
  readonly server: Example;
  /** Headers for a session with this version. */
  readonly open: (version?: string) => Promise<Record<string, string>>;
}

function opened(options: Partial<McpHttpOptions> = {}): Opened {
  const server = example();
  const mcp = createMcpHttp({ hostname: '127.0.0.1', createServer: () => server.server, ...options });
  const { post, send, initialize } = endpoint(mcp);
  return {
    server,
    post,
    send,
    initialize,
    async open(version = '2025-11-25') {
      const answer = await post({
        ...INITIALIZE,
        params: { ...INITIALIZE.params, protocolVersion: version },
      });
      await answer.text();
      return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
    },
  };
}

const callWith = (id: number, name: string, args: unknown): object => ({
  ...call(id, name),
  params: { name, arguments: args },
});

/** Fields of the stream events received so far. */
async function* eventsOf(answer: Response): AsyncGenerator<Record<string, string>, undefined> {
  if (!answer.body) throw new Error('no body');
  let text = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      yield Object.fromEntries(event.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
    }
  }
  return undefined;
}

test('a notification before the response starts a stream', async () => {
  const { post, open } = opened();
  const session = await open();
  const answer = await post(callWith(2, 'tell', 'hello'), session);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect(answer.headers.get('mcp-session-id')).toBe(session['mcp-session-id']);
  const [first, told, last, ...rest] = await Array.fromAsync(eventsOf(answer));
  expect(first).toEqual({ id: '1-0', retry: '1000', data: '' });
  expect(told).toMatchObject({ event: 'message', id: '1-1' });
  expect(JSON.parse(told?.['data'] ?? '')).toMatchObject({ params: { data: 'hello' } });
  expect(last).toMatchObject({ id: '1-2' });
  expect(JSON.parse(last?.['data'] ?? '')).toMatchObject({ id: 2, result: {} });
  expect(rest).toEqual([]);
});

test('clients older than 2025-11-25 get no event without data', async () => {
  const { post, open } = opened();
  const events = await Array.fromAsync(
    eventsOf(await post(callWith(2, 'tell', 1), await open('2025-06-18'))),
  );
  expect(events.map(({ id }) => id)).toEqual(['1-1', '1-2']);
});

test('a slow response becomes a stream', async () => {
  const { server, post, open } = opened({ streamAfterMilliseconds: 1 });
  const answer = await post(call(2, 'wait'), await open());
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  server.release();
  const events = await Array.fromAsync(eventsOf(answer));
  expect(events.map(({ id }) => id)).toEqual(['1-0', '1-1']);
});

test('an interrupted stream resumes after the last event', async () => {
  const { server, post, send, open } = opened();
  const session = await open();
  const lost = await post(callWith(2, 'tell-and-wait', 'before'), session);
  const events = eventsOf(lost);
  expect((await events.next()).value).toMatchObject({ id: '1-0' });
  await events.return(undefined);
  server.release();
  const again = { ...session, accept: 'text/event-stream', 'last-event-id': '1-0' };
  const [, ...rest] = await Array.fromAsync(eventsOf(await send('GET', again)));
  expect(rest.map(({ id, data }) => [id, JSON.parse(data ?? '') as unknown])).toMatchObject([
    ['1-1', { params: { data: 'before' } }],
    ['1-2', { id: 2, result: {} }],
  ]);
  const over = await send('GET', { ...again, 'last-event-id': '1-2' });
  expect(over.status).toBe(204);
});

test('a client that reconnects during the call gets the response when it is ready', async () => {
  const { server, post, send, open } = opened();
  const session = await open();
  const lost = eventsOf(await post(callWith(2, 'tell-and-wait', 'before'), session));
  await lost.next();
  await lost.next();
  await lost.return(undefined);
  const again = { ...session, accept: 'text/event-stream', 'last-event-id': '1-1' };
  const events = eventsOf(await send('GET', again));
  expect((await events.next()).value).toMatchObject({ id: '1-1', data: '' });
  server.release();
  expect((await events.next()).value).toMatchObject({ id: '1-2' });
  expect((await events.next()).done).toBe(true);
});

test.each(['7-1', '1-x', '', 'nonsense'])('an unknown event ID %j is rejected', async (id) => {
  const { send, open } = opened();
  const headers = { ...(await open()), accept: 'text/event-stream', 'last-event-id': id };
  expect((await send('GET', headers)).status).toBe(400);
});

test('streams of another session cannot be resumed', async () => {
  const { post, send, open } = opened();
  await messages(await post(callWith(2, 'tell', 1), await open()));
  const other = { ...(await open()), accept: 'text/event-stream', 'last-event-id': '1-0' };
  expect((await send('GET', other)).status).toBe(400);
});

test('a server that cancels calls of disconnected clients has no events to resume', async () => {
  const { post, send, open } = opened({ cancelWhenGone: true });
  const session = await open();
  const events = await Array.fromAsync(eventsOf(await post(callWith(2, 'tell', 1), session)));
  expect(events.map(({ id }) => id)).toEqual([undefined, undefined]);
  const stream = await send('GET', { ...session, accept: 'text/event-stream', 'last-event-id': '0-1' });
  expect(stream.status).toBe(200);
  await stream.body?.cancel();
});

test('a batch of requests gets a batch of responses', async () => {
  const { post, open } = opened();
  const session = await open('2025-03-26');
  const list = [call(2, 'echo'), { jsonrpc: '2.0', method: 'notifications/any' }, call(3, 'echo')];
  const answer = await post(list, session);
  expect(await answer.json()).toMatchObject([{ id: 2 }, { id: 3 }]);
  expect((await post([list[1]], session)).status).toBe(202);
  expect((await post([], session)).status).toBe(400);
});

test.each([
  { jsonrpc: '2.0', id: 1.5, method: 'ping' },
  { jsonrpc: '2.0', id: null, method: 'ping' },
  { jsonrpc: '2.0', id: 1, method: 'ping', params: 5 },
  { jsonrpc: '1.0', id: 1, method: 'ping' },
  { jsonrpc: '2.0', id: 1 },
  [{ jsonrpc: '2.0', id: 1, method: 'ping' }, 5],
  5,
])('%j is not a valid message', async (body) => {
  const { post, open } = opened();
  const answer = await post(body, await open());
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ id: null, error: { code: -32_600 } });
});

test('a body that is nested too deeply is rejected', async () => {
  const { post, open } = opened();
  const answer = await post('['.repeat(100_000), await open());
  expect(answer.status).toBe(400);
});

/** Requests roots, and returns the event with the request. */
async function asked({ post, open }: Opened, ms: number) {
  const session = await open();
  const events = eventsOf(await post(callWith(2, 'ask', { ms }), session));
  await events.next();
  const question = JSON.parse((await events.next()).value?.['data'] ?? '') as { id: number; method: string };
  const next = async () => JSON.parse((await events.next()).value?.['data'] ?? '') as unknown;
  return { session, events, question, next };
}

test('a server request is sent to the client in the response stream of a call', async () => {
  const all = opened();
  const { session, question, next } = await asked(all, 60_000);
  expect(question).toMatchObject({ method: 'roots/list' });
  const answer = { jsonrpc: '2.0', id: question.id, result: { roots: [] } };
  expect((await all.post(answer, session)).status).toBe(202);
  expect(await next()).toMatchObject({ id: 2, result: { asked: { roots: [] } } });
  expect((await all.post(answer, session)).status).toBe(202);
});

test('a client error is returned to the server', async () => {
  const all = opened();
  const { session, question, next } = await asked(all, 60_000);
  const error = { code: -1, message: 'No.', data: { why: 'so' } };
  await all.post({ jsonrpc: '2.0', id: question.id, error }, session);
  expect(await next()).toEqual({ jsonrpc: '2.0', id: 2, error });
});

test('if a client does not respond in time, both client and server get an error', async () => {
  const { question, next } = await asked(opened(), 1);
  expect(await next()).toMatchObject({
    method: 'notifications/cancelled',
    params: { requestId: question.id },
  });
  expect(await next()).toMatchObject({
    id: 2,
    error: { message: expect.stringContaining('did not respond to roots/list') as string },
  });
});

test('a client that closes its session sends no more responses', async () => {
  const all = opened();
  const { session, events } = await asked(all, 60_000);
  expect((await all.send('DELETE', session)).status).toBe(200);
  const left = await Array.fromAsync(events);
  expect(left.every(({ data = '' }) => !data.includes('"result"'))).toBe(true);
});
