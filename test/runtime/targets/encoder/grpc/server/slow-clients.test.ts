import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { ConnectRouter } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { selfSigned } from '#test/helpers/self-signed.ts';
import { CHECK, largeRoutes, LIST, readAll, routes, write } from './health-calls.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { useGrpcServers } from './test-server.ts';

const listen = useGrpcServers();
const { log } = testKernel();

describe('connections that never start a call are closed', () => {
  test.each([
    ['nothing', ''],
    ['an incomplete preface', 'PRI * HTTP/2'],
    ['only a preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an incomplete request', 'POST /x HTTP/1.1\r\nhost'],
    [
      'an incomplete body',
      `POST ${CHECK} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
    ],
  ])('after sending %s', async (_, bytes) => {
    const { port } = await listen({ routes, log, idleTimeout: 100 });
    const socket = connectTcp(port, 'localhost');
    await write(socket, bytes);
    await readAll(socket);
    expect(socket.destroyed).toBe(true);
  });

  test('an HTTP/2 request with a stalled body', async () => {
    const { port } = await listen({ routes, log, idleTimeout: 100 });
    const session = connectHttp2(`http://localhost:${port}`);
    const stream = session.request({ ':method': 'POST', ':path': CHECK, 'content-type': 'application/grpc' });
    stream.write(Buffer.from([0, 0]));
    const [error] = (await once(stream, 'error')) as [Error];
    expect(error.message).toContain('REFUSED_STREAM');
    session.destroy();
  });
});

describe('a client that half-closes an HTTP/1.1 connection', () => {
  test.each([
    ['TCP', undefined],
    ['TLS', selfSigned()],
  ])('gets its response over %s; with keep-alive, its call is canceled', async (_, tls) => {
    const asked: AbortSignal[] = [];
    const slow = (router: ConnectRouter): void =>
      void router.service(Health, {
        async check(_request, { signal }) {
          asked.push(signal);
          await Promise.race([once(signal, 'abort'), afterPolls()]);
          return { status: 1 };
        },
      });
    const { port } = await listen({ routes: slow, log, tls });
    const answer = async (head: string): Promise<string> => {
      const to = { port, host: 'localhost', allowHalfOpen: true };
      // The type of TLS options does not include this socket option.
      const socket = tls ? connectTls({ ...to, ca: tls.cert } as ConnectionOptions) : connectTcp(to);
      socket.end(
        `POST ${CHECK} HTTP/${head}host: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
      );
      return readAll(socket);
    };
    const answered = /^HTTP\/1\.1 200 OK\r\n[^]*\{"status":"SERVING"\}$/;
    expect(await answer('1.0\r\n')).toMatch(answered);
    expect(await answer('1.1\r\nconnection: close\r\n')).toMatch(answered);
    expect(await answer('1.1\r\n')).toBe('');
    expect(asked).toHaveLength(3);
    expect(asked[2]?.aborted).toBe(true);
  });
});

test('a call whose response is not read is aborted', async () => {
  const { port } = await listen({ routes: largeRoutes, log, idleTimeout: 200 });
  const session = connectHttp2(`http://localhost:${port}`);
  const stream = session.request({ ':method': 'POST', ':path': LIST, 'content-type': 'application/grpc' });
  stream.end(Buffer.alloc(5));
  const [error] = (await once(stream, 'error')) as [Error];
  expect(error.message).toContain('REFUSED_STREAM');
  session.destroy();
});

/** Longer than the time until the end of a connection arrives. */
async function afterPolls(): Promise<void> {
  for (let polls = 0; polls < 100; polls += 1) await immediate();
}
