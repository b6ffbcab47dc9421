import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { metric, untilBusy, untilIdle, WORK } from './busy.ts';
import { callOf, clientOf } from './grpc-call.ts';
import { ask, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { useServers } from './started-servers.ts';
import { postText, stopWithUnreadRequests } from './stopped-requests.ts';
import { verifiesOnce, verifiesServed } from './verifies.ts';

const { serve } = useServers();
const share = shareServers();

const PREDICT = postText('/predict', { inputs: ['I love this'] });
const DELAYS = [[], ['--shutdown-delay', '300ms']];

verifiesOnce('serve:stop-unread', async () => {
  for (const args of DELAYS) {
    const { child, url, ended } = await serve({ args });
    const port = Number(new URL(url).port);
    for (const answer of await stopWithUnreadRequests(child, { port, request: PREDICT }))
      expect(answer).toMatch(/^HTTP\/1\.1 (200|503) /);
    expect(await ended).toBe(0);
  }
});

verifiesOnce('grpc:stop-unread', async () => {
  const request = postText('/grpc.health.v1.Health/Check', {});
  for (const args of DELAYS) {
    const { child, grpcPort: port, ended } = await serve({ args });
    for (const answer of await stopWithUnreadRequests(child, { port, request, first: request }))
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*SERVING"}$/);
    expect(await ended).toBe(0);
  }
});

verifiesOnce('serve:shutdown-delay', async () => {
  const { child, url, grpcPort, said, ended } = await serve({ args: ['--shutdown-delay', '1h'] });
  const health = clientOf('grpc.health.v1.Health', grpcPort);
  const model = clientOf('encoder.SequenceClassification', grpcPort);
  const before = await post(`${url}/predict`, { inputs: ['a'] }, { connection: 'keep-alive' });
  expect([before.status, before.headers.connection]).toEqual([200, 'keep-alive']);
  expect(await callOf(health, 'Check', {})).toEqual({ answer: { status: 'SERVING' } });
  child.kill('SIGTERM');
  await said(/"msg":"stopping/);
  expect(await ask(`${url}/readyz`)).toMatchObject({ status: 503, text: 'stopping' });
  for (const path of ['/health', '/healthz']) expect((await ask(url + path)).status).toBe(200);
  const during = await post(`${url}/predict`, { inputs: ['a'] }, { connection: 'keep-alive' });
  expect([during.status, during.headers.connection]).toEqual([200, 'close']);
  expect(await callOf(health, 'Check', {})).toEqual({ answer: { status: 'NOT_SERVING' } });
  expect(await callOf(model, 'Predict', { inputs: ['a'] })).toHaveProperty('answer');
  health.close();
  model.close();
  child.kill('SIGINT');
  expect(await ended).toBe('SIGINT');

  const short = await serve({ args: ['--shutdown-delay', '100ms'] });
  short.child.kill('SIGTERM');
  expect(await short.ended).toBe(0);
});

const open = async (port: number): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return socket.on('error', () => {});
};

verifiesServed('http:half-closed', async (arm) => {
  const { httpPort, url } = await share(arm, 'sentiment');
  const answered = [
    PREDICT.replace('HTTP/1.1', 'HTTP/1.0'),
    postText('/predict', { inputs: ['I love this'] }, { Connection: 'close' }),
  ];
  for (const request of answered) {
    const socket = await open(httpPort);
    socket.end(request);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"POSITIVE"/);
  }
  const before = await metric(url, 'encoder_inputs_total');
  const left = await open(httpPort);
  left.write(postText('/predict', { inputs: WORK }));
  await untilBusy(url);
  left.end();
  expect(await text(left)).toBe('');
  await untilIdle(url);
  expect(await metric(url, 'encoder_inputs_total')).toBe(before);
});
