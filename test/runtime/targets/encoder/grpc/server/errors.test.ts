import { gzipSync } from 'node:zlib';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { GRPC_STATUS } from '#serve/errors/grpc-status.ts';
import { serviceOptions } from '#encoder/grpc/server/service-options.ts';
import { callsIn } from './call-lines.ts';
import { connect, type Outcome } from './grpc-js.ts';
import { frame, requestHttp2, statusOf } from './raw-http2.ts';
import { testKernel, type TestKernel } from '#test/helpers/test-kernel.ts';
import { useGrpcServers } from './test-server.ts';

const listen = useGrpcServers();
const CHECK = '/grpc.health.v1.Health/Check';

/** A server whose Check and Watch throw this error. */
async function serve(thrown: () => unknown, kernel: TestKernel = testKernel()): Promise<number> {
  const options = serviceOptions({ log: kernel.log, maxMessageBytes: 1000, access: kernel.access });
  const routes = (router: ConnectRouter): void =>
    void router.service(
      Health,
      {
        check: () => {
          throw thrown();
        },
        // oxlint-disable-next-line require-yield -- it ends before its first message.
        async *watch() {
          throw thrown();
        },
      },
      options,
    );
  return (await listen({ routes, log: kernel.log })).port;
}

async function check(port: number, headers: Record<string, string> = {}): Promise<Outcome> {
  const { call, client } = connect('grpc/health/v1/health.proto', 'grpc.health.v1.Health', port);
  const outcome = await call('Check', { service: 'x' }, { headers });
  client.close();
  return outcome;
}

const failuresIn = ({ logged }: TestKernel): object[] =>
  logged.filter(({ level, msg }) => level === 50 && msg === 'gRPC call failed');

test.each(Object.entries(GRPC_STATUS) as [ErrorCode, Code][])(
  '%s returns status %i with its unchanged message',
  async (code, status) => {
    const port = await serve(() => new AppError(code, 'Bad: "x", say y; 100% sure, ünï 😀'));
    expect(await check(port)).toMatchObject({ status, message: 'Bad: "x", say y; 100% sure, ünï 😀' });
  },
);

test('only an overload error contains a retry delay', async () => {
  const overloaded = await check(await serve(() => new AppError('OverloadedError', 'Busy.')));
  expect(overloaded.trailer?.get('retry-after')).toEqual(['1']);
  const wrong = await check(await serve(() => new AppError('InputError', 'Wrong.')));
  expect(wrong.trailer?.get('retry-after')).toEqual([]);
});

test('an unexpected error returns INTERNAL without details, and is logged with them', async () => {
  const kernel = testKernel();
  const port = await serve(() => new TypeError('secret path /etc/x'), kernel);
  expect(await check(port)).toMatchObject({
    status: Code.Internal,
    message: 'Internal error; see the server log.',
  });
  const [call] = callsIn(kernel);
  expect(failuresIn(kernel)).toMatchObject([
    { requestId: call?.requestId, method: CHECK, err: { type: 'TypeError', message: 'secret path /etc/x' } },
  ]);
});

test('an error in a stream is also returned with its status and logged', async () => {
  const kernel = testKernel();
  const port = await serve(() => new AppError('InternalError', 'The model is gone.'), kernel);
  const answer = await requestHttp2(port, '/grpc.health.v1.Health/Watch', frame(new Uint8Array()));
  expect(statusOf(answer)).toBe(Code.Internal);
  expect(answer.trailers['grpc-message']).toBe('The model is gone.');
  expect(failuresIn(kernel)).toHaveLength(1);
});

test('Connect errors are passed on unchanged', async () => {
  const port = await serve(() => new ConnectError('Not now.', Code.FailedPrecondition));
  expect(await check(port)).toMatchObject({ status: Code.FailedPrecondition, message: 'Not now.' });
});

test.each(['Check', 'Watch'])(
  'a %s message that is not valid protobuf causes a client error',
  async (method) => {
    const port = await serve(() => new Error('never reached'));
    const garbage = Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f, 1]);
    const answer = await requestHttp2(port, `/grpc.health.v1.Health/${method}`, frame(garbage));
    expect(statusOf(answer)).toBe(Code.InvalidArgument);
    expect(answer.trailers['grpc-message']).toMatch(/^Cannot read the message: /);
  },
);

test('malformed messages also cause client errors over Connect and gRPC-Web', async () => {
  const port = await serve(() => new Error('never reached'));
  const garbage = Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f, 1]);
  const post = (type: string, body: Buffer<ArrayBuffer>): Promise<Response> =>
    fetch(`http://localhost:${port}${CHECK}`, { method: 'POST', headers: { 'content-type': type }, body });
  const connected = await post('application/proto', garbage);
  expect(connected.status).toBe(400);
  expect(await connected.json()).toMatchObject({ code: 'invalid_argument' });
  const web = await post('application/grpc-web', frame(garbage));
  expect(await web.text()).toContain('grpc-status: 3');
});

test('a compressed message without an encoding and an uncompressed one marked as compressed cause client errors', async () => {
  const port = await serve(() => new Error('never reached'));
  const compressed = frame(Buffer.from('no gzip'));
  compressed[0] = 1;
  expect(statusOf(await requestHttp2(port, CHECK, compressed))).toBe(Code.InvalidArgument);
  const answer = await requestHttp2(port, CHECK, compressed, { 'grpc-encoding': 'gzip' });
  expect(statusOf(answer)).toBe(Code.InvalidArgument);
});

test('a message that is too large returns RESOURCE_EXHAUSTED with the limit, compressed and decompressed', async () => {
  const port = await serve(() => new Error('never reached'));
  const { call, client } = connect('grpc/health/v1/health.proto', 'grpc.health.v1.Health', port);
  const tooLarge = {
    status: Code.ResourceExhausted,
    message: 'Message too large: the maximum is 1000 bytes. Send several smaller messages.',
  };
  expect(await call('Check', { service: 'x'.repeat(1000) })).toMatchObject(tooLarge);
  expect(await call('Check', { service: 'x'.repeat(20_000_000) })).toMatchObject(tooLarge);
  client.close();
  const bomb = frame(gzipSync(Buffer.alloc(1_000_000)));
  bomb[0] = 1;
  const answer = await requestHttp2(port, CHECK, bomb, { 'grpc-encoding': 'gzip' });
  expect(statusOf(answer)).toBe(Code.ResourceExhausted);
  expect(answer.trailers['grpc-message']).toBe(tooLarge.message);
});

test('with keys, a call without a key returns UNAUTHENTICATED before its message is read', async () => {
  const kernel = testKernel(['sesame']);
  const port = await serve(() => new AppError('NotFoundError', 'got in'), kernel);
  expect(await check(port)).toMatchObject({
    status: Code.Unauthenticated,
    message: 'Missing API key. Send the header `Authorization: Bearer <key>`.',
  });
  expect((await check(port, { authorization: 'Bearer wrong' })).status).toBe(Code.Unauthenticated);
  expect((await check(port, { authorization: 'Bearer sesame' })).status).toBe(Code.NotFound);
  const answer = await requestHttp2(port, CHECK, frame(Buffer.from([0xff])));
  expect(statusOf(answer)).toBe(Code.Unauthenticated);
});
