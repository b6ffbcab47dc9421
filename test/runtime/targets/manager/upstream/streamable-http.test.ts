import { expect, test } from 'vitest';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { ShapeOfParams } from '#manager/shapes/shape.ts';
import { answerCalls, answerTo, answerWith, sendJson } from './answer-with.ts';
import { openRecorded, PATIENCE, textOf } from './open-recorded.ts';
import { remoteLaunch, startRemote } from './remote-fixture.ts';
import { specOf } from './spec.ts';

const call = (name: string, args: ShapeOfParams = {}): ShapeOfParams => ({ name, arguments: args });

test('a remote server can be called, with streams or JSON', async () => {
  for (const env of [{}, { JSON_ONLY: '1' }]) {
    const remote = await startRemote('remote.mjs', env);
    const { connection, text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`)));
    expect(connection.peer).toMatchObject({ name: 'remote', protocolVersion: '2025-11-25' });
    expect(connection.pid).toBeUndefined();
    expect(await connection.check(20_000)).toBeGreaterThan(0);
    const messages = Array.from({ length: 50 }, (_, at) => `message ${at}`);
    expect(await Promise.all(messages.map((message) => text('echo', { message })))).toEqual(messages);
  }
});

test('every request carries the session ID and the negotiated revision, and the session is terminated on close', async () => {
  const remote = await startRemote('remote.mjs');
  const { connection, text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`)));
  await text('echo', { message: 'one' });
  await connection.close();
  await expect.poll(() => remote.requests.at(-1)?.['method']).toBe('DELETE');
  const [first, ...rest] = remote.requests.map(({ headers }) => headers as ShapeOfParams);
  expect(first).not.toHaveProperty('mcp-session-id');
  const sessions = new Set(rest.map((headers) => headers['mcp-session-id']));
  expect([...sessions]).toEqual([expect.any(String)]);
  expect(rest.map((headers) => headers['mcp-protocol-version'])).toEqual(rest.map(() => '2025-11-25'));
});

test('server notifications arrive on a separate stream', async () => {
  const remote = await startRemote('remote.mjs');
  const { call, notified } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`)));
  await expect.poll(() => remote.requests.some(({ method }) => method === 'GET')).toBe(true);
  await call('list-changed', { list: 'tools' });
  await notified('notifications/tools/list_changed');
});

test('progress, cancellation and pings work over a remote connection', async () => {
  const remote = await startRemote('remote.mjs');
  const { connection, text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`)));
  let reports = 0;
  const onProgress = (): void => void (reports += 1);
  await connection.request('tools/call', call('progress', { steps: 3 }), { ...PATIENCE, onProgress });
  expect(reports).toBe(3);
  expect(JSON.parse(await text('ask', { method: 'ping' }))).toEqual({ result: {} });

  const leave = new AbortController();
  const options = { ...PATIENCE, signal: leave.signal };
  const waiting = connection.request('tools/call', call('sleep-until-cancelled'), options);
  await remote.logged(/^sleeping/);
  leave.abort(new Error('gone to lunch'));
  await expect(waiting).rejects.toThrow('gone to lunch');
  expect(await remote.logged(/^cancelled/)).toMatch(/gone to lunch$/);
});

test('an expired session closes the connection', async () => {
  const remote = await startRemote('remote.mjs');
  const { connection, text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`)));
  await fetch(`${remote.url}/forget`, { method: 'POST' });
  await expect(text('echo', { message: 'lost' })).rejects.toThrow('The session has expired');
  expect(await connection.closed).toEqual({
    message: 'The session has expired on the server.',
    expected: false,
  });
});

test('an unreachable server closes the connection', async () => {
  const remote = await startRemote('remote.mjs');
  const { connection, text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`)));
  await text('echo', { message: 'there' });
  await remote.kill();
  await text('echo', { message: 'gone' }).catch(() => undefined);
  await expect(text('echo', { message: 'gone' })).rejects.toMatchObject({ name: 'ConnectionClosed' });
  expect((await connection.closed).message).toContain(`Cannot connect to ${remote.url}/mcp`);
  await expect(openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`)))).rejects.toThrow('Cannot connect to');
});

test('configured headers are sent with every request, and the error for a rejected request suggests a fix', async () => {
  const remote = await startRemote('remote.mjs', { BEARER: 'hush' });
  const headers = { authorization: 'Bearer hush', 'x-team': 'blue' };
  const { text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`, { headers })));
  await text('echo', { message: 'in' });
  for (const request of remote.requests) expect(request['headers']).toMatchObject(headers);
  await expect(openRecorded(specOf(remoteLaunch(`${remote.url}/mcp`)))).rejects.toThrow(
    `${remote.url}/mcp returned status 401. Check its headers or OAuth settings. who are you?`,
  );
});

test('a redirect on the same server is followed, and a redirect to another host is not', async () => {
  const remote = await startRemote('remote.mjs');
  const { text } = await openRecorded(specOf(remoteLaunch(`${remote.url}/moved`)));
  expect(await text('echo', { message: 'moved' })).toBe('moved');
  const away = await answerWith((_asked, response) => {
    response.writeHead(307, { location: `${remote.url}/mcp?secret=1` }).end();
  });
  const { call } = await openRecorded(specOf(remoteLaunch(away)));
  await expect(call('echo')).rejects.toThrow(`${away} redirects to ${remote.url}/mcp. Configure that URL.`);
});

test('the error for a URL without an MCP server contains the response status', async () => {
  const remote = await startRemote('remote.mjs');
  await expect(openRecorded(specOf(remoteLaunch(`${remote.url}/nothing`)))).rejects.toThrow(
    `${remote.url}/nothing returned status 404.`,
  );
});

test('numbers from a remote server are passed unchanged, in JSON and in streams', async () => {
  const sent = '{"value":12345678901234567890,"more":0.1234567890123456789}';
  const received: string[] = [];
  const url = await answerWith(({ message, body }, response) => {
    if (!message) return void response.writeHead(405).end();
    received.push(body);
    const answer = answerTo(message.id, 'SENT').replace('"SENT"', `{"sent":${sent}}`);
    if (body.includes('"json"')) return void sendJson(response, answer);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return void response.end(`: hello\r\n\r\nevent: message\r\ndata: ${answer}\r\n\r\n`);
  });
  const { connection } = await openRecorded(specOf(remoteLaunch(url)));
  for (const name of ['json', 'stream']) {
    const args = parseLossless(sent) as ShapeOfParams;
    const result = await connection.request('tools/call', call(name, args), PATIENCE);
    expect(JSON.stringify(result['sent'])).toBe(sent);
    expect(received.at(-1)).toContain(`"arguments":${sent}`);
  }
});

test('an interrupted stream is resumed after its last event', async () => {
  const url = await answerWith(({ httpMethod, headers, message }, response) => {
    if (httpMethod === 'GET' && headers['last-event-id'] === undefined)
      return void response.writeHead(405).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (httpMethod === 'POST') return void response.end(`id: ${message?.id}\nretry: 10\ndata:\n\n`);
    const body = answerTo(Number(headers['last-event-id']), { content: [{ type: 'text', text: 'resumed' }] });
    return void response.end(`data: ${body}\n\n`);
  });
  const { text } = await openRecorded(specOf(remoteLaunch(url)));
  expect(await text('echo')).toBe('resumed');
});

test('a stream without a response fails its call, and invalid events are skipped', async () => {
  const url = await answerCalls(({ id, name }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const answer = `data: ${answerTo(id, { content: [{ type: 'text', text: 'fine' }] })}\n\n`;
    response.end(name === 'empty' ? '' : `data: nonsense\n\n${answer}`);
  });
  const { call, text, logs } = await openRecorded(specOf(remoteLaunch(url)));
  await expect(call('empty')).rejects.toThrow(`${url} returned no result.`);
  expect(await text('odd')).toBe('fine');
  expect(logs).toEqual(['stream: nonsense']);
});

test('revision 2026-07-28 works over HTTP', async () => {
  const remote = await startRemote('modern-only-http.mjs');
  const { connection, text, notified } = await openRecorded(specOf(remoteLaunch(remote.url)));
  expect(connection.peer.protocolVersion).toBe('2026-07-28');
  expect(await connection.check(20_000)).toBeGreaterThan(0);
  expect(textOf(await connection.request('tools/call', call('progress'), PATIENCE))).toBe('done');
  await connection.request('tools/list', undefined, PATIENCE);
  await text('routed', { region: 'Zürich', place: { floor: 3 } });
  expect(remote.requests.at(-1)?.['headers']).toMatchObject({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'routed',
    'mcp-param-region': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
    'mcp-param-floor': '3',
  });

  await expect.poll(() => remote.requests.some(isListening)).toBe(true);
  await fetch(`${remote.url}/change`, { method: 'POST' });
  await notified('notifications/tools/list_changed');

  const leave = new AbortController();
  const options = { ...PATIENCE, signal: leave.signal };
  const waiting = connection.request('tools/call', call('wait'), options);
  await remote.logged(/^waiting$/);
  leave.abort();
  await expect(waiting).rejects.toThrow(/aborted/);
  await remote.logged(/^cancelled$/);
  expect(remote.requests.every(({ httpMethod }) => httpMethod === 'POST')).toBe(true);
});

const isListening = ({ headers }: Record<string, unknown>): boolean =>
  (headers as ShapeOfParams)['mcp-method'] === 'subscriptions/listen';

test.each([
  ['JSON', 'application/json', (body: string) => body],
  ['a stream', 'text/event-stream', (body: string) => `data: ${body}\n\n`],
])(
  'an oversized result in %s fails only its own call, before the result is complete',
  async (_, type, frame) => {
    const url = await answerCalls(({ id, name }, response) => {
      response.writeHead(200, { 'content-type': type });
      if (name === 'small') return void response.end(frame(answerTo(id, { content: [] })));
      // The rest of the result never arrives.
      const body = frame(answerTo(id, { content: [{ type: 'text', text: 'x'.repeat(200_000) }] }));
      return void response.write(body.slice(0, 150_000));
    });
    const { connection, call: use } = await openRecorded(specOf(remoteLaunch(url)), {
      maxResultCharacters: 100_000,
    });
    await expect(use('large')).rejects.toThrow(
      'the result is larger than the maximum of 0.1 MiB (--max-result)',
    );
    expect(await use('small')).toEqual({ content: [] });
    await connection.close();
    expect((await connection.closed).expected).toBe(true);
  },
);
