import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { httpShell } from '#serve/http/shell.ts';
import { callsIn } from './call-lines.ts';
import { clientOf, post } from './health-calls.ts';
import { OBSERVING_CLIENTS } from './observed-clients.ts';
import { asking, PREDICT, useObservedServers } from './observed-server.ts';
import { connect } from './grpc-js.ts';
import { frame, requestHttp2 } from './raw-http2.ts';

const serve = useObservedServers();
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each(OBSERVING_CLIENTS)(
  '$name: every call has an ID, a log line and a measurement, regardless of its result',
  async ({ predict }) => {
    const { kernel, port } = await serve();
    const outcomes = [
      ['fine', 0, 'OK'],
      ['wrong', Code.InvalidArgument, 'INVALID_ARGUMENT'],
      ['crash', Code.Internal, 'INTERNAL'],
    ] as const;
    for (const [text, status] of outcomes) {
      const requestId = `my.own_id-${text}`;
      expect(await predict(port, text, requestId)).toEqual({ status, requestId });
    }
    expect(callsIn(kernel)).toEqual(
      outcomes.map(([text, , code]) => ({
        level: 30,
        time: expect.any(String) as unknown,
        requestId: `my.own_id-${text}`,
        method: PREDICT,
        code,
        ms: expect.any(Number) as unknown,
        msg: 'call',
      })),
    );
    const metrics = await kernel.metrics.metrics();
    for (const [, , code] of outcomes)
      expect(metrics).toContain(`grpc_request_duration_seconds_count{method="${PREDICT}",code="${code}"} 1`);
  },
);

test.each([
  ['none', {}],
  ['one with a space', { 'x-request-id': 'a b' }],
  ['one that is too long', { 'x-request-id': 'x'.repeat(129) }],
])('the server generates a request ID if the client sends %s', async (_, headers) => {
  const { kernel, port } = await serve();
  await requestHttp2(port, PREDICT, frame(asking('fine')), headers);
  const [line] = callsIn(kernel);
  expect(line?.requestId).toMatch(UUID);
  const { headers: answered } = await requestHttp2(port, PREDICT, frame(asking('fine')), headers);
  expect(answered['x-request-id']).toBe(callsIn(kernel)[1]?.requestId);
  expect(answered['x-request-id']).not.toBe(line?.requestId);
});

test('an internal error and its call have the same ID in the log', async () => {
  const { kernel, port } = await serve();
  await post(port, PREDICT, '{"inputs":["crash"]}');
  const [call] = callsIn(kernel);
  expect(kernel.logged.find(({ level }) => level === 50)).toMatchObject({
    requestId: call?.requestId,
    method: PREDICT,
  });
});

test('health and reflection calls are logged at level debug, and measured like all others', async () => {
  const { kernel, port } = await serve();
  const health = clientOf(port);
  await health.call('Check', {});
  health.client.close();
  const file = 'grpc/reflection/v1/reflection.proto';
  const reflection = connect(file, 'grpc.reflection.v1.ServerReflection', port);
  const stream = reflection.talk('ServerReflectionInfo');
  stream.end({ list_services: '' });
  expect(await stream.toArray()).toHaveLength(1);
  reflection.client.close();
  const methods = [
    '/grpc.health.v1.Health/Check',
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  ];
  expect(callsIn(kernel)).toMatchObject(methods.map((method) => ({ level: 20, method, code: 'OK' })));
  const metrics = await kernel.metrics.metrics();
  for (const method of methods)
    expect(metrics).toContain(`grpc_request_duration_seconds_count{method="${method}",code="OK"} 1`);
});

test('the duration metrics for gRPC and HTTP have the same buckets', async () => {
  const { kernel, port } = await serve();
  await post(port, PREDICT, '{"inputs":["fine"]}');
  await httpShell(kernel).request('/healthz');
  const metrics = await kernel.metrics.metrics();
  const buckets = (wire: string): string[] =>
    [...metrics.matchAll(new RegExp(`^${wire}_request_duration_seconds_bucket\\{le="([^"]+)"`, 'gm'))].map(
      ([, bound = '']) => bound,
    );
  expect(buckets('grpc')).toEqual(buckets('http'));
  expect(buckets('grpc').length).toBeGreaterThan(10);
});
