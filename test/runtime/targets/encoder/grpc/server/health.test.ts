import { once } from 'node:events';
import { status as Status } from '@grpc/grpc-js';
import { Code, type ConnectRouter, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '#gen/grpc/health/v1/health_pb.ts';
import { addHealth } from '#encoder/grpc/server/health.ts';
import type { Kernel } from '#serve/kernel.ts';
import { createLifecycle } from '#serve/lifecycle.ts';
import { untilEnded } from './call-lines.ts';
import { connect, type Message, type TestClient } from './grpc-js.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { useGrpcServers } from './test-server.ts';

const listen = useGrpcServers();
const routes =
  ({ lifecycle }: Kernel) =>
  (router: ConnectRouter): void =>
    addHealth(router, { services: ['encoder.Embedding'], lifecycle, serviceOptions: {} });
const clientOf = (port: number): TestClient =>
  connect('grpc/health/v1/health.proto', 'grpc.health.v1.Health', port);

test('Check reports the server and its service before, during and after readiness', async () => {
  const kernel = { ...testKernel(), lifecycle: createLifecycle() };
  const { port } = await listen({ routes: routes(kernel), log: kernel.log });
  const { call, client } = clientOf(port);
  const check = async (): Promise<unknown[]> =>
    Promise.all(
      ['', 'encoder.Embedding'].map(async (service) => (await call('Check', { service })).answer?.['status']),
    );
  expect(await check()).toEqual(['NOT_SERVING', 'NOT_SERVING']);
  kernel.lifecycle.ready();
  expect(await check()).toEqual(['SERVING', 'SERVING']);
  expect((await call('List', {})).answer).toEqual({
    statuses: { '': { status: 'SERVING' }, 'encoder.Embedding': { status: 'SERVING' } },
  });
  await kernel.lifecycle.drain();
  expect(await check()).toEqual(['NOT_SERVING', 'NOT_SERVING']);
  client.close();
});

test('Check of an unknown service returns NOT_FOUND and lists the existing services', async () => {
  const kernel = testKernel();
  const { port } = await listen({ routes: routes(kernel), log: kernel.log });
  const { call, client } = clientOf(port);
  expect(await call('Check', { service: 'encoder.Nothing' })).toMatchObject({
    status: Status.NOT_FOUND,
    message:
      'Unknown service "encoder.Nothing". Services: encoder.Embedding; an empty name selects the whole server.',
  });
  client.close();
});

test('Watch reports every change and ends when the server stops', async () => {
  const kernel = { ...testKernel(), lifecycle: createLifecycle() };
  const server = await listen({ routes: routes(kernel), log: kernel.log });
  const { read, client } = clientOf(server.port);
  const stream = read('Watch', { service: 'encoder.Embedding' });
  const ended = once(stream, 'error') as Promise<[{ code: number }]>;
  const next = async (): Promise<unknown> => ((await once(stream, 'data')) as [Message])[0]['status'];
  expect(await next()).toBe('NOT_SERVING');
  kernel.lifecycle.ready();
  expect(await next()).toBe('SERVING');
  await kernel.lifecycle.drain();
  expect(await next()).toBe('NOT_SERVING');
  await server.close();
  expect((await ended)[0].code).toBe(Status.UNAVAILABLE);
  client.close();
});

test('Watch reports draining before the stream ends, however fast the server closes', async () => {
  const kernel = testKernel();
  const server = await listen({ routes: routes(kernel), log: kernel.log, closeTimeout: 60_000 });
  const { read, client } = clientOf(server.port);
  const streams = ['', 'encoder.Embedding', 'nope'].map((service) => read('Watch', { service }));
  const told: unknown[][] = streams.map(() => []);
  const ended = streams.map((stream) => once(stream, 'error') as Promise<[{ code: number }]>);
  const started = streams.map((stream) => once(stream, 'data'));
  for (const [at, stream] of streams.entries())
    stream.on('data', ({ status }: Message) => told[at]?.push(status));
  await Promise.all(started);
  await kernel.lifecycle.drain();
  await server.close();
  expect((await Promise.all(ended)).map(([{ code }]) => code)).toEqual(streams.map(() => Status.UNAVAILABLE));
  expect(told).toEqual([['SERVING', 'NOT_SERVING'], ['SERVING', 'NOT_SERVING'], ['SERVICE_UNKNOWN']]);
  client.close();
});

test.each([
  ['gRPC-Web and HTTP/1.1', createGrpcWebTransport, '1.1'],
  ['gRPC-Web and HTTP/2', createGrpcWebTransport, '2'],
  ['Connect and HTTP/1.1', createConnectTransport, '1.1'],
  ['Connect and HTTP/2', createConnectTransport, '2'],
] as const)('Watch over %s also reports draining', async (_, transport, httpVersion) => {
  const kernel = testKernel();
  const server = await listen({ routes: routes(kernel), log: kernel.log, closeTimeout: 60_000 });
  const health = createClient(Health, transport({ baseUrl: `http://localhost:${server.port}`, httpVersion }));
  const told: number[] = [];
  let closed: Promise<void> | undefined;
  const watching = (async () => {
    for await (const { status } of health.watch({})) {
      told.push(status);
      closed ??= kernel.lifecycle.drain().then(() => server.close());
    }
  })();
  await expect(watching).rejects.toMatchObject({ code: Code.Unavailable });
  expect(told).toEqual([Serving.SERVING, Serving.NOT_SERVING]);
  await closed;
});

test('Watch of an unknown service reports SERVICE_UNKNOWN and continues', async () => {
  const kernel = testKernel();
  const { port } = await listen({ routes: routes(kernel), log: kernel.log });
  const { read, client } = clientOf(port);
  const stream = read('Watch', { service: 'nope' });
  const [message] = (await once(stream, 'data')) as [Message];
  expect(message['status']).toBe('SERVICE_UNKNOWN');
  const cancelled = once(stream, 'error') as Promise<[{ code: number }]>;
  stream.cancel();
  expect((await cancelled)[0].code).toBe(Status.CANCELLED);
  const ended = await untilEnded(kernel, 1);
  expect(ended).toMatchObject([{ method: '/grpc.health.v1.Health/Watch', code: 'CANCELLED' }]);
  client.close();
});
