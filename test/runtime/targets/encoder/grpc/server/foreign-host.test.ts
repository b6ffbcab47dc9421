import { connect } from 'node:http2';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ask } from '#test/contract/http-client.ts';
import { standInEngine } from '#test/helpers/stand-in-engine.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { encoderGrpcRoutes } from '#encoder/grpc/routes.ts';
import { runtimeFacts } from '#encoder/servers/runtime-facts.ts';
import { modelHostRules } from '#encoder/servers/settings.ts';
import { createConnectRouter } from '@connectrpc/connect';
import { useGrpcServers } from './test-server.ts';

const listen = useGrpcServers();
const context = {
  kernel: testKernel(),
  engine: standInEngine({}, () => expect.unreachable()),
  runtime: runtimeFacts(''),
};
const routes = await encoderGrpcRoutes(context, { maxMessageBytes: 1000 });

/** The paths of all methods on the port, and a nonexistent one. */
const paths = (() => {
  const router = createConnectRouter();
  routes(router);
  return [...router.handlers.map(({ requestPath }) => requestPath), '/no.Service/Method'];
})();

async function start(apiKeys: readonly string[] = []): Promise<string> {
  const hostRules = modelHostRules(
    { apiKeys, allowedHosts: undefined, corsOrigins: [], tls: undefined },
    { hostname: '[::]' },
  );
  const { log } = context.kernel;
  const { port } = await listen({ routes, log, hostRules, hostname: '127.0.0.1' });
  return `http://127.0.0.1:${port}`;
}

/** Calls that browsers can send, with and without a preflight. */
const TYPES = ['application/json', 'application/grpc-web+proto', 'application/grpc-web-text', 'text/plain'];

test.each([
  { host: 'evil.example:50051' },
  { host: 'localhost', origin: 'https://evil.example' },
  { host: 'evil.example', origin: 'http://evil.example' },
])('every method rejects a browser that sends %j', async (headers) => {
  const url = await start();
  expect(paths.length).toBeGreaterThan(4);
  for (const path of paths) {
    for (const type of TYPES) {
      const answer = await ask(url + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body: '',
      });
      expect([path, type, answer.status, answer.text]).toEqual([
        path,
        type,
        403,
        expect.stringContaining('is not allowed'),
      ]);
    }
    const got = await ask(`${url}${path}?message={}&encoding=json`, { headers });
    expect([path, got.status]).toEqual([path, 403]);
  }
});

test('addresses and localhost are accepted, and with a key any name', async () => {
  const [open, keyed] = [await start(), await start(['key'])];
  for (const [url, host] of [
    [open, 'localhost:50051'],
    [open, '10.0.0.1'],
    [keyed, 'encoder'],
  ] as const)
    for (const path of paths) {
      const answer = await ask(url + path, {
        method: 'POST',
        headers: { host, 'content-type': 'application/json' },
        body: '{',
      });
      expect([path, answer.status]).not.toEqual([path, 403]);
    }
});

test('gRPC clients can use a service name, because browsers never send HTTP/2 without TLS', async () => {
  const session = connect(await start());
  const call = async (headers: Record<string, string>): Promise<readonly [unknown, string]> => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      ':authority': 'encoder.default.svc:50051',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    stream.end(Buffer.alloc(5));
    const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
    return [answer[':status'], await text(stream)];
  };
  expect((await call({}))[0]).toBe(200);
  expect(await call({ origin: 'https://evil.example' })).toEqual([
    403,
    expect.stringContaining('is not allowed'),
  ]);
  session.destroy();
});
