import { connect as connectHttp2, type ClientHttp2Stream, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { callsIn, untilEnded } from './call-lines.ts';
import { readAll } from './health-calls.ts';
import { asking, PREDICT, useObservedServers } from './observed-server.ts';
import { frame, requestHttp2 } from './raw-http2.ts';

const serve = useObservedServers();
const GARBAGE = Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f, 1]);
const LARGE = asking('x'.repeat(2000));
const REFLECTION = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

/** Sends a request and returns the request ID in the response. */
type Send = (port: number) => Promise<unknown>;

const grpc =
  (message: Uint8Array, path = PREDICT): Send =>
  async (port) =>
    (await requestHttp2(port, path, frame(message))).headers['x-request-id'];

const fetched =
  (type: string, body: Uint8Array<ArrayBuffer> | undefined, path = PREDICT): Send =>
  async (port) => {
    const answer = await fetch(`http://localhost:${port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': type },
      ...(body && { body }),
    });
    await answer.arrayBuffer();
    return answer.headers.get('x-request-id');
  };

const withoutHost: Send = async (port) => {
  const socket = connectTcp(port, 'localhost');
  socket.write(`POST ${PREDICT} HTTP/1.0\r\ncontent-length: 0\r\n\r\n`);
  return /^x-request-id: (.*)\r$/im.exec(await readAll(socket))?.[1];
};

test.each<[string, Send, string, { readonly keys?: readonly string[]; readonly method?: string }?]>([
  ['a wrong key over gRPC', grpc(asking('fine')), 'UNAUTHENTICATED', { keys: ['k'] }],
  [
    'a wrong key over gRPC-Web',
    fetched('application/grpc-web', frame(asking('fine'))),
    'UNAUTHENTICATED',
    { keys: ['k'] },
  ],
  [
    'a wrong key over Connect',
    fetched('application/proto', asking('fine')),
    'UNAUTHENTICATED',
    { keys: ['k'] },
  ],
  ['an unreadable message over gRPC', grpc(GARBAGE), 'INVALID_ARGUMENT'],
  [
    'an unreadable message over gRPC-Web',
    fetched('application/grpc-web', frame(GARBAGE)),
    'INVALID_ARGUMENT',
  ],
  ['an unreadable message over Connect', fetched('application/proto', GARBAGE), 'INVALID_ARGUMENT'],
  ['an oversized message over gRPC', grpc(LARGE), 'RESOURCE_EXHAUSTED'],
  ['an oversized message over gRPC-Web', fetched('application/grpc-web', frame(LARGE)), 'RESOURCE_EXHAUSTED'],
  ['an oversized message over Connect', fetched('application/proto', LARGE), 'RESOURCE_EXHAUSTED'],
  ['a content type that is not valid for calls', fetched('text/plain', asking('fine')), 'INVALID_ARGUMENT'],
  ['GET', fetched('application/json', undefined), 'UNIMPLEMENTED'],
  ['a request without a host', withoutHost, 'INVALID_ARGUMENT'],
  [
    'a bidirectional stream over HTTP/1.1',
    fetched('application/connect+proto', frame(GARBAGE), REFLECTION),
    'UNIMPLEMENTED',
    { method: REFLECTION },
  ],
])(
  'a rejected call is logged and counted with its status: %s',
  async (_, send, code, { keys = [], method = PREDICT } = {}) => {
    const { kernel, port } = await serve(keys);
    const requestId = await send(port);
    expect(requestId).toEqual(expect.any(String));
    expect(callsIn(kernel)).toMatchObject([{ requestId, method, code }]);
    expect(await kernel.metrics.metrics()).toContain(
      `grpc_request_duration_seconds_count{method="${method}",code="${code}"} 1`,
    );
  },
);

test('unknown methods share one metric label', async () => {
  const { kernel, port } = await serve();
  const sends = [
    grpc(GARBAGE, '/a.B/C'),
    fetched('application/json', GARBAGE, '/d.E/F?query=1'),
    fetched('application/grpc-web', GARBAGE, '/g.H/I'),
    fetched('text/html', undefined, '/'),
  ];
  const ids: unknown[] = [];
  for (const send of sends) ids.push(await send(port));
  expect(callsIn(kernel)).toMatchObject(
    ['/a.B/C', '/d.E/F', '/g.H/I', '/'].map((method, at) => ({
      level: 30,
      method,
      code: 'UNIMPLEMENTED',
      requestId: ids[at],
    })),
  );
  const counts = (await kernel.metrics.metrics()).match(/^grpc_request_duration_seconds_count.*$/gm);
  expect(counts).toEqual(['grpc_request_duration_seconds_count{method="none",code="UNIMPLEMENTED"} 4']);
});

describe('interrupted calls', () => {
  test.each([
    ['gRPC', 'application/grpc', { 'grpc-timeout': '50m' }],
    ['gRPC before it starts', 'application/grpc', { 'grpc-timeout': '0m' }],
    ['gRPC-Web', 'application/grpc-web', { 'grpc-timeout': '50m' }],
    ['Connect', 'application/proto', { 'connect-timeout-ms': '50' }],
  ])('a call whose deadline expires over %s is logged as DEADLINE_EXCEEDED', async (_, type, deadline) => {
    const { kernel, port } = await serve();
    const message = asking('hang');
    const body = type === 'application/proto' ? message : frame(message);
    const { headers } = await requestHttp2(port, PREDICT, body, { 'content-type': type, ...deadline });
    const requestId = headers['x-request-id'];
    expect(callsIn(kernel)).toMatchObject([{ requestId, code: 'DEADLINE_EXCEEDED' }]);
  });

  test.each<[string, (port: number) => () => void]>([
    ['cancels the call', (port) => leave(port, (stream) => stream.close(constants.NGHTTP2_CANCEL))],
    ['ends its stream', (port) => leave(port, (stream) => stream.close(constants.NGHTTP2_NO_ERROR))],
    ['breaks its HTTP/2 connection', (port) => leave(port, ({ session }) => session?.destroy())],
    ['breaks its HTTP/1.1 connection', leaveHttp1],
  ])('a call is logged as CANCELLED if its client %s', async (_, start) => {
    const { kernel, port, hanging } = await serve();
    const gone = start(port);
    await hanging;
    expect(callsIn(kernel)).toEqual([]);
    gone();
    expect(await untilEnded(kernel, 1)).toMatchObject([{ method: PREDICT, code: 'CANCELLED' }]);
  });

  test('a call is logged as UNAVAILABLE if its client stops in the middle of a message', async () => {
    const { kernel, port } = await serve([], { idleTimeout: 100 });
    const stream = open(port);
    stream.write(Buffer.from([0, 0]));
    expect(await untilEnded(kernel, 1)).toMatchObject([{ method: PREDICT, code: 'UNAVAILABLE' }]);
  });

  test('a call is logged as UNAVAILABLE if the server stops before it responds', async () => {
    const { kernel, port, server, hanging } = await serve([], { closeTimeout: 50 });
    const stream = open(port);
    stream.end(frame(asking('hang')));
    await hanging;
    await server.close();
    expect(callsIn(kernel)).toMatchObject([{ method: PREDICT, code: 'UNAVAILABLE' }]);
  });
});

function open(port: number): ClientHttp2Stream {
  const session = connectHttp2(`http://localhost:${port}`);
  session.on('error', () => {});
  const headers = { ':method': 'POST', ':path': PREDICT, 'content-type': 'application/grpc' };
  const stream = session.request(headers);
  stream.on('error', () => session.destroy());
  return stream;
}

function leave(port: number, how: (stream: ClientHttp2Stream) => void): () => void {
  const stream = open(port);
  stream.end(frame(asking('hang')));
  return () => how(stream);
}

function leaveHttp1(port: number): () => void {
  const leaving = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const { signal } = leaving;
  const body = '{"inputs":["hang"]}';
  fetch(`http://localhost:${port}${PREDICT}`, { method: 'POST', headers, body, signal }).catch(() => {});
  return () => leaving.abort();
}
