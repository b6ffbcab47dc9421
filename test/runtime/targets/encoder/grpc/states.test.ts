import { request as requestHttp1 } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { status as Status } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { createLifecycle } from '#serve/lifecycle.ts';
import { connect, type Outcome } from './server/grpc-js.ts';
import { frame, requestHttp2, statusOf } from './server/raw-http2.ts';
import { testKernel, type TestKernel } from '#test/helpers/test-kernel.ts';
import { type FakeEngine, fakeEngine } from './fake-engine.ts';
import { type ModelServer, serveEngine } from './model-server.ts';

let open: ModelServer[] = [];
afterEach(async () => {
  for (const { client, server } of open) {
    client.close();
    await server.close();
  }
  open = [];
});

async function serve(engine: FakeEngine, kernel: TestKernel = testKernel()): Promise<ModelServer> {
  const served = await serveEngine(engine, kernel);
  open.push(served);
  return served;
}

const ONE = { inputs: ['x'] };
const ONE_ENCODED = frame(Buffer.from([0x0a, 1, 0x78]));

test('an expired deadline cancels the work, and the server itself returns DEADLINE_EXCEEDED', async () => {
  const engine = fakeEngine();
  const { port, path } = await serve(engine);
  const headers = { 'grpc-timeout': '50m' };
  const answer = await requestHttp2(port, `${path}/Predict`, ONE_ENCODED, headers);
  expect(statusOf(answer)).toBe(Status.DEADLINE_EXCEEDED);
  await engine.cancelled;
});

test('a deadline too long for a timer is ignored', async () => {
  const engine = fakeEngine(new AppError('InputError', 'Asked.'));
  const { port, path } = await serve(engine);
  const headers = { 'grpc-timeout': '99999999H' };
  const answer = await requestHttp2(port, `${path}/Predict`, ONE_ENCODED, headers);
  expect(statusOf(answer)).toBe(Status.INVALID_ARGUMENT);
});

test('a cancellation by the client stops the work', async () => {
  const engine = fakeEngine();
  const { read } = await serve(engine);
  const stream = read('Predict', ONE);
  stream.on('error', () => {});
  const { signal } = await engine.asked;
  expect(signal?.aborted).toBe(false);
  stream.cancel();
  await engine.cancelled;
  expect(signal?.aborted).toBe(true);
});

test.each([
  ['HTTP/2', callByHttp2],
  ['HTTP/1.1', callByHttp1],
])('a broken connection over %s also stops the work', async (_, start) => {
  const engine = fakeEngine();
  const { port, path } = await serve(engine);
  const gone = start(port, `${path}/Predict`);
  const { signal } = await engine.asked;
  gone();
  await engine.cancelled;
  expect(signal?.aborted).toBe(true);
});

test('drain waits for running calls, and new Predict calls are rejected in the meantime', async () => {
  const engine = fakeEngine();
  const kernel = testKernel();
  const { call } = await serve(engine, kernel);
  const running = call('Predict', ONE, { deadline: Date.now() + 300 });
  await engine.asked;
  const drained = kernel.lifecycle.drain();
  expect(await call('Predict', ONE)).toMatchObject({
    status: Status.UNAVAILABLE,
    message: 'The server is shutting down.',
  });
  expect((await call('GetModelMetadata', {})).answer).toBeDefined();
  expect((await running).status).toBe(Status.DEADLINE_EXCEEDED);
  await drained;
});

test('a starting server returns UNAVAILABLE', async () => {
  const { call } = await serve(fakeEngine(), { ...testKernel(), lifecycle: createLifecycle() });
  expect((await call('Predict', ONE)).status).toBe(Status.UNAVAILABLE);
});

test('an overloaded model returns RESOURCE_EXHAUSTED with a retry delay', async () => {
  const { call } = await serve(fakeEngine(new AppError('OverloadedError', 'The model is busy.')));
  const { status, message, trailer } = await call('Predict', ONE);
  expect({ status, message }).toEqual({ status: Status.RESOURCE_EXHAUSTED, message: 'The model is busy.' });
  expect(trailer?.get('retry-after')).toEqual(['1']);
});

test('with keys, every method except health requires a key', async () => {
  const engine = fakeEngine(new AppError('InputError', 'Got in.'));
  const { call, port } = await serve(engine, testKernel(['sesame']));
  const outcome = (headers?: Record<string, string>): Promise<Outcome> =>
    call('Predict', ONE, headers ? { headers } : {});
  expect((await outcome()).status).toBe(Status.UNAUTHENTICATED);
  expect((await outcome({ authorization: 'Bearer open' })).status).toBe(Status.UNAUTHENTICATED);
  expect((await outcome({ authorization: 'Bearer sesame' })).message).toBe('Got in.');
  expect((await call('GetModelMetadata', {})).status).toBe(Status.UNAUTHENTICATED);

  const health = connect('grpc/health/v1/health.proto', 'grpc.health.v1.Health', port);
  expect((await health.call('Check', {})).answer).toEqual({ status: 'SERVING' });
  health.client.close();

  const file = 'grpc/reflection/v1/reflection.proto';
  const reflection = connect(file, 'grpc.reflection.v1.ServerReflection', port);
  const stream = reflection.talk('ServerReflectionInfo');
  stream.write({ list_services: '' });
  await expect(stream.take(1).toArray()).rejects.toMatchObject({ code: Status.UNAUTHENTICATED });
  reflection.client.close();
});

/** Starts a call; the returned function breaks the connection. */
function callByHttp1(port: number, path: string): () => void {
  // With `Connection: close`, the end of the connection means that the client waits for the response.
  const headers = { 'content-type': 'application/json', connection: 'keep-alive' };
  const request = requestHttp1({ host: 'localhost', port, path, method: 'POST', headers, agent: false });
  request.on('error', () => {});
  request.end(JSON.stringify(ONE));
  return () => void request.destroy();
}

function callByHttp2(port: number, path: string): () => void {
  const session = connectHttp2(`http://localhost:${port}`);
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
  stream.on('error', () => {});
  stream.end(ONE_ENCODED);
  return () => session.destroy();
}
