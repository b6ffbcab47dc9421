import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { CHECK, largeRoutes, LIST, readAll, routes, write } from './health-calls.ts';
import { testKernel } from '../../../../../helpers/test-kernel.ts';
import { useGrpcServers } from './test-server.ts';

const listen = useGrpcServers();
const { log } = testKernel();

describe('connections that do not get as far as a call are closed', () => {
  test.each([
    ['nothing', ''],
    ['half a preface', 'PRI * HTTP/2'],
    ['a preface and nothing more', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['half a request', 'POST /x HTTP/1.1\r\nhost'],
    [
      'half a body',
      `POST ${CHECK} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
    ],
  ])('%s', async (_, bytes) => {
    const { port } = await listen({ routes, log, idleTimeout: 100 });
    const socket = connectTcp(port, 'localhost');
    await write(socket, bytes);
    await readAll(socket);
    expect(socket.destroyed).toBe(true);
  });

  test('a request by HTTP/2 whose body stops', async () => {
    const { port } = await listen({ routes, log, idleTimeout: 100 });
    const session = connectHttp2(`http://localhost:${port}`);
    const stream = session.request({ ':method': 'POST', ':path': CHECK, 'content-type': 'application/grpc' });
    stream.write(Buffer.from([0, 0]));
    const [error] = (await once(stream, 'error')) as [Error];
    expect(error.message).toContain('REFUSED_STREAM');
    session.destroy();
  });
});

test('a call whose answer nobody takes is given up', async () => {
  const { port } = await listen({ routes: largeRoutes, log, idleTimeout: 200 });
  const session = connectHttp2(`http://localhost:${port}`);
  const stream = session.request({ ':method': 'POST', ':path': LIST, 'content-type': 'application/grpc' });
  stream.end(Buffer.alloc(5));
  const [error] = (await once(stream, 'error')) as [Error];
  expect(error.message).toContain('REFUSED_STREAM');
  session.destroy();
});
