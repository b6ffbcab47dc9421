import { expect, test } from 'vitest';
import type { ShapeOfParams } from '#manager/shapes/shape.ts';
import { answerWith } from './answer-with.ts';
import { openRecorded, PATIENCE } from './open-recorded.ts';
import { remoteLaunch, startRemote } from './remote-fixture.ts';
import { specOf } from './spec.ts';

const SSE = { transport: 'sse' } as const;

test('a server with the older transport can be called, reports changes and receives cancellations', async () => {
  const remote = await startRemote('remote.mjs', { BEARER: 'hush' });
  const launch = remoteLaunch(`${remote.url}/sse`, { ...SSE, headers: { authorization: 'Bearer hush' } });
  const { connection, text, notified } = await openRecorded(specOf(launch));
  expect(connection.peer.name).toBe('remote');
  expect(await connection.check(20_000)).toBeGreaterThan(0);
  const messages = Array.from({ length: 20 }, (_, at) => `message ${at}`);
  expect(await Promise.all(messages.map((message) => text('echo', { message })))).toEqual(messages);
  await text('list-changed', { list: 'resources' });
  await notified('notifications/resources/list_changed');
  expect(JSON.parse(await text('ask', { method: 'ping' })) as ShapeOfParams).toEqual({ result: {} });

  const leave = new AbortController();
  const params = { name: 'sleep-until-cancelled', arguments: {} };
  const waiting = connection.request('tools/call', params, { ...PATIENCE, signal: leave.signal });
  await remote.logged(/^sleeping/);
  leave.abort(new Error('gone to lunch'));
  await expect(waiting).rejects.toThrow('gone to lunch');
  await remote.logged(/^cancelled .*gone to lunch$/);
});

test('the connection is closed when the event stream ends', async () => {
  const remote = await startRemote('remote.mjs');
  const { connection, call } = await openRecorded(specOf(remoteLaunch(`${remote.url}/sse`, SSE)));
  const waiting = call('sleep-until-cancelled').catch((error: unknown) => error);
  await remote.logged(/^sleeping/);
  await remote.kill();
  expect(await waiting).toMatchObject({
    name: 'ConnectionClosed',
    message: `${remote.url}/sse closed its event stream.`,
  });
  expect((await connection.closed).expected).toBe(false);
});

test('a URL that does not return an event stream or whose endpoint is on another origin is rejected', async () => {
  const remote = await startRemote('remote.mjs');
  await expect(openRecorded(specOf(remoteLaunch(`${remote.url}/nothing`, SSE)))).rejects.toThrow(
    `${remote.url}/nothing returned status 404.`,
  );
  const page = await answerWith((_asked, response) => void response.end('<html>'));
  await expect(openRecorded(specOf(remoteLaunch(page, SSE)))).rejects.toThrow(
    `${page} does not return an event stream. Use transport \`http\`.`,
  );
  const thief = await answerWith((_asked, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: http://127.0.0.2:1/messages\n\n');
  });
  await expect(openRecorded(specOf(remoteLaunch(thief, SSE)))).rejects.toThrow('is on another origin');
});
