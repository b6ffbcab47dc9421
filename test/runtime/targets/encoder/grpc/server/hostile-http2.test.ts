import { once } from 'node:events';
import { connect, type OutgoingHttpHeaders, type ServerHttp2Session } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { answersToHeads, VALID_ANSWERS } from '#test/helpers/request-heads.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { frame, requestHttp2, statusOf } from './raw-http2.ts';
import { useGrpcServers } from './test-server.ts';

const listen = useGrpcServers();
const CHECK = '/grpc.health.v1.Health/Check';

async function serve(): Promise<number> {
  const { log } = testKernel();
  const { port } = await listen({
    log,
    routes: (router) => router.service(Health, { check: () => ({ status: 1 }) }),
  });
  return port;
}

test('over HTTP/1.1, request heads that violate RFC 9112 are rejected as on the HTTP port', async () => {
  expect(await answersToHeads(await serve())).toEqual(VALID_ANSWERS);
});

const HEADS: readonly (readonly [name: string, headers: OutgoingHttpHeaders, status: number])[] = [
  ['a host that differs from its authority', { ':authority': 'localhost', host: 'other' }, 400],
  ['an authority with two hosts', { ':authority': 'localhost,other' }, 400],
  ['the same host in capitals', { ':authority': 'localhost', host: 'LOCALHOST' }, 200],
];

test.each(HEADS)(
  'over HTTP/2, a request with %s gets the expected status',
  async (_name, headers, status) => {
    const answer = await requestHttp2(await serve(), CHECK, frame(Buffer.alloc(0)), headers);
    expect(answer.headers[':status']).toBe(status);
  },
);

test('over HTTP/2, a request with two hosts is malformed', async () => {
  const { socket } = await rawConnection(await serve());
  // Literal headers without a table: RFC 7541, section 6.2.2.
  const literal = (name: string, value: string): Buffer =>
    Buffer.concat([
      Buffer.of(0, name.length),
      Buffer.from(name),
      Buffer.of(value.length),
      Buffer.from(value),
    ]);
  const heads = [':method=GET', ':scheme=http', ':path=/', 'host=a', 'host=b'].map((head) => {
    const at = head.indexOf('=', 1);
    return literal(head.slice(0, at), head.slice(at + 1));
  });
  const reset = nextFrame(socket, RST_STREAM);
  socket.write(http2Frame(HEADERS, 5, 1, Buffer.concat(heads)));
  // PROTOCOL_ERROR
  expect((await reset).readUInt32BE(9)).toBe(1);
  socket.destroy();
});

test('the number of streams and the size of headers are limited', async () => {
  const session = connect(`http://localhost:${await serve()}`);
  const [settings] = (await once(session, 'remoteSettings')) as [ServerHttp2Session['remoteSettings']];
  expect(settings).toMatchObject({ maxConcurrentStreams: 256, maxHeaderListSize: 16_384 });
  session.destroy();
});

const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const CONTINUATION = 9;

const http2Frame = (type: number, flags: number, stream: number, payload: Uint8Array): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

async function rawConnection(port: number): Promise<{ socket: Socket; received: () => number }> {
  const socket = connectTcp(port, '127.0.0.1');
  let bytes = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk) => (bytes += chunk.length));
  await once(socket, 'connect');
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(http2Frame(SETTINGS, 0, 0, Buffer.alloc(0)));
  return { socket, received: () => bytes };
}

/** Resolves with the next frame of this type. */
function nextFrame(socket: Socket, type: number): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  let seen = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    seen = Buffer.concat([seen, chunk]);
    while (seen.length >= 9 && seen.length >= 9 + seen.readUIntBE(0, 3)) {
      const end = 9 + seen.readUIntBE(0, 3);
      if (seen[3] === type) resolve(seen.subarray(0, end));
      seen = seen.subarray(end);
    }
  });
  return promise;
}

const block = Buffer.from([0x82, 0x86, 0x84, 0x41, 0x01, 0x61]);
/** Frames that are cheap for a client and more expensive for a server. Each flood is limited to this number of frames. */
const FLOODS: Readonly<Record<string, (at: number) => Buffer>> = {
  'rapid resets': (at) =>
    Buffer.concat([
      http2Frame(HEADERS, 5, 2 * at + 1, block),
      http2Frame(RST_STREAM, 0, 2 * at + 1, Buffer.of(0, 0, 0, 8)),
    ]),
  'headers without an end': (at) =>
    at === 0
      ? http2Frame(HEADERS, 1, 1, block)
      : http2Frame(
          CONTINUATION,
          0,
          1,
          Buffer.concat([Buffer.of(0, 1, 0x61, 127, 0), Buffer.alloc(127, 0x62)]),
        ),
  'settings with many entries': () =>
    http2Frame(
      SETTINGS,
      0,
      0,
      Buffer.concat(Array.from({ length: 100 }, () => Buffer.of(0, 3, 0, 0, 0, 100))),
    ),
  'frames on stream 0 that require another stream': () => http2Frame(HEADERS, 5, 0, block),
};
const MAX_FRAMES = 50_000;

/** Writes until the server closes the connection, or no frames are left. */
async function flood(socket: Socket, pieces: Iterable<Buffer>): Promise<void> {
  let isOpen = true;
  const next = { resolve: (): void => undefined };
  const wake = (): void => next.resolve();
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOpen = false;
      wake();
      resolve();
    });
  });
  socket.on('drain', wake);
  for (const piece of pieces) {
    if (!isOpen) break;
    const { promise, resolve } = Promise.withResolvers<void>();
    next.resolve = resolve;
    if (socket.write(piece)) setImmediate(resolve);
    await promise;
  }
  socket.resume();
  await closed;
}

test.each(Object.entries(FLOODS))(
  '%s close the connection, and other clients are served',
  async (_name, frameAt) => {
    const port = await serve();
    const { socket } = await rawConnection(port);
    const pieces = Array.from({ length: MAX_FRAMES / 100 }, (_piece, at) =>
      Buffer.concat(Array.from({ length: 100 }, (_frame, more) => frameAt(100 * at + more))),
    );
    await flood(socket, pieces);
    const answer = await requestHttp2(port, CHECK, frame(Buffer.alloc(0)));
    expect(statusOf(answer)).toBe(0);
  },
);

test('pings get a response while the client reads, and close the connection if it does not', async () => {
  const port = await serve();
  const ping = http2Frame(PING, 0, 0, Buffer.alloc(8));
  const { socket, received } = await rawConnection(port);
  const reply = nextFrame(socket, PING);
  socket.write(ping);
  expect((await reply)[4]).toBe(1);
  socket.pause();
  const before = received();
  const pings = Buffer.concat(Array.from({ length: 1000 }, () => ping));
  await flood(
    socket,
    Array.from({ length: 4000 }, () => pings),
  );
  expect(before).toBeGreaterThan(0);
  const answer = await requestHttp2(port, CHECK, frame(Buffer.alloc(0)));
  expect(statusOf(answer)).toBe(0);
});
