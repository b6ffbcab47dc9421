import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { status as Status } from '@grpc/grpc-js';
import type { ConnectRouter } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import {
  CHECK,
  clientOf,
  LARGE,
  largeRoutes,
  LIST,
  post,
  postHttp1,
  postHttp2,
  readAll,
  routes,
  SERVING,
} from './health-calls.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { useGrpcServers } from './test-server.ts';

const listen = useGrpcServers();
const { log } = testKernel();
const defer = (): PromiseWithResolvers<void> => Promise.withResolvers<void>();

test('close waits for running calls, and closes idle connections', async () => {
  const [first, second, answer] = [defer(), defer(), defer()];
  const arrivals = [first, second];
  const slow = (router: ConnectRouter): void =>
    void router.service(Health, {
      async check({ service }) {
        if (service !== 'slow') return { status: 1 };
        arrivals.shift()?.resolve();
        await answer.promise;
        return { status: 2 };
      },
    });
  const server = await listen({ routes: slow, log, closeTimeout: 60_000 });
  const [busy, idle] = [clientOf(server.port), clientOf(server.port)];
  expect(await idle.call('Check', {})).toEqual(SERVING);
  expect((await post(server.port)).status).toBe(200);
  const running = Promise.all([
    busy.call('Check', { service: 'slow' }),
    post(server.port, CHECK, '{"service":"slow"}').then((response) => response.json()),
  ]);
  await Promise.all([first.promise, second.promise]);
  const closed = server.close();
  answer.resolve();
  expect(await running).toEqual([{ answer: { status: 'NOT_SERVING' } }, { status: 'NOT_SERVING' }]);
  await closed;
  busy.client.close();
  idle.client.close();
});

test.each([
  ['HTTP/1.1', postHttp1],
  ['HTTP/2', postHttp2],
])('close waits for a complete large response over %s', async (_, request) => {
  const server = await listen({ routes: largeRoutes, log, closeTimeout: 60_000 });
  const answer = await request(server.port, LIST);
  const closed = server.close();
  const { statuses } = JSON.parse(await text(answer)) as { statuses: object };
  expect(Object.keys(statuses)).toHaveLength(LARGE);
  await closed;
});

test('close does not wait for connections that never sent data', async () => {
  const server = await listen({ routes, log, closeTimeout: 60_000 });
  const silent = [connectTcp(server.port, 'localhost'), connectTcp(server.port, 'localhost')];
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  expect((await post(server.port)).status).toBe(200);
  const ended = silent.map(readAll);
  await server.close();
  expect(await Promise.all(ended)).toEqual(['', '']);
});

test('close cuts off connections at the timeout', async () => {
  const arrived = defer();
  const never = (router: ConnectRouter): void =>
    void router.service(Health, {
      check() {
        arrived.resolve();
        return new Promise(() => {});
      },
    });
  const server = await listen({ routes: never, log, closeTimeout: 50 });
  const { call, client } = clientOf(server.port);
  const lost = call('Check', {});
  await arrived.promise;
  await server.close();
  expect((await lost).status).toBe(Status.UNAVAILABLE);
  client.close();
});
