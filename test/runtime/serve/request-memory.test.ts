import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { createExchangeBodyReader, bodyReaderFrom } from '#serve/http/body.ts';
import { JSON_TYPE, createDirectListener } from '#serve/http/exchange.ts';
import { httpShell } from '#serve/http/shell.ts';
import { testKernel } from '../../helpers/test-kernel.ts';
import { useListeners } from './http/listeners.ts';

const listen = useListeners();
const MIB = 1024 * 1024;
const LIMIT = 4 * MIB;
const MAX_BODY = 64 * MIB;

/** A server whose routes wait for `answerAll`, with bodies read by the app and by direct routes. */
async function serve(limit = LIMIT) {
  const kernel = testKernel([], limit);
  const read = createExchangeBodyReader({ maxBodyBytes: MAX_BODY });
  const readBody = bodyReaderFrom(read);
  let answers = Promise.withResolvers<void>();
  let waiting = 0;
  const wait = async (): Promise<void> => {
    waiting += 1;
    await answers.promise;
  };
  const app = httpShell(kernel);
  app.post('/app', async (c) => {
    await readBody(c, Type.Any());
    await wait();
    return c.text('done');
  });
  const direct = createDirectListener(kernel, [
    {
      route: '/direct',
      path: /^\/direct$/,
      maxBodyBytes: MAX_BODY,
      async answer({ exchange }) {
        await read(exchange, Type.Any());
        await wait();
        exchange.answer({ status: 200, body: 'done' });
      },
    },
  ]);
  const { port } = await listen(app, { direct });
  return {
    port,
    kernel,
    waiting: () => waiting,
    answerAll: () => {
      answers.resolve();
      answers = Promise.withResolvers();
    },
    post: (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...headers },
        body,
      }),
  };
}

/** A JSON text of this length. */
const text = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));

test.each(['/app', '/direct'])('%s: request bytes count until the response has ended', async (path) => {
  const { kernel, post, waiting, answerAll } = await serve();
  const { requestMemory, metrics } = kernel;
  const first = post(path, text(3 * MIB));
  await expect.poll(waiting).toBe(1);
  expect(requestMemory.held()).toBe(3 * MIB);
  const refused = await post(path, text(2 * MIB));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.text()).toBe(
    `Too many request bytes in memory: the server's limit is ${LIMIT}. Retry later, or start the server with a larger --max-request-memory.`,
  );
  const small = post(path, text(100));
  await expect.poll(waiting).toBe(2);
  answerAll();
  expect([(await first).status, (await small).status]).toEqual([200, 200]);
  await expect.poll(requestMemory.held).toBe(0);
  const page = await metrics.metrics();
  expect(page).toContain('request_memory_refused_total{limit="process"} 1');
  expect(page).toContain('request_memory_bytes 0');
  expect(page).toContain(`request_memory_limit_bytes ${LIMIT}`);
});

test('the Content-Length counts before the body arrives, and is released if the client disconnects', async () => {
  const { port, kernel, post } = await serve();
  const { requestMemory } = kernel;
  const socket = await opened(port);
  socket.write(
    `POST /app HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${3 * MIB}\r\n\r\n"`,
  );
  await expect.poll(requestMemory.held).toBe(3 * MIB);
  expect((await post('/app', text(2 * MIB))).status).toBe(429);
  socket.destroy();
  await expect.poll(requestMemory.held).toBe(0);
});

test('a body without a Content-Length counts as it arrives', async () => {
  const { port, kernel, post } = await serve();
  const { requestMemory } = kernel;
  const socket = await opened(port);
  socket.write(
    'POST /app HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  const chunk = Buffer.alloc(MIB, 0x20);
  for (let at = 0; at < 3; at += 1) {
    socket.write(`${MIB.toString(16)}\r\n`);
    socket.write(chunk);
    socket.write('\r\n');
  }
  await expect.poll(requestMemory.held).toBe(3 * MIB);
  expect((await post('/app', text(2 * MIB))).status).toBe(429);
  socket.destroy();
  await expect.poll(requestMemory.held).toBe(0);
});

/** Random text that compresses as poorly as an image in base64. */
const noise = (bytes: number): string =>
  JSON.stringify(
    Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
      .toString('base64')
      .repeat(2),
  )
    .slice(0, -1)
    .padEnd(bytes, 'abcdefghijklmnop')
    .concat('"');

const ENCODINGS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
} as const;

test.each(Object.entries(ENCODINGS))('%s: decompressed bytes also count', async (encoding, compress) => {
  const { kernel, post, waiting, answerAll } = await serve();
  const first = post('/app', compress(noise(3 * MIB)), { 'content-encoding': encoding });
  await expect.poll(waiting).toBe(1);
  expect(kernel.requestMemory.held()).toBeGreaterThan(3 * MIB);
  const refused = await post('/app', compress(noise(2 * MIB)), { 'content-encoding': encoding });
  expect(refused.status).toBe(429);
  answerAll();
  expect((await first).status).toBe(200);
});

test.each(Object.entries(ENCODINGS))(
  '%s: a body crafted to fill memory is rejected',
  async (encoding, compress) => {
    const { kernel, post } = await serve(1024 * MIB);
    const bomb = `[${'{},'.repeat(11_000_000)}{}]`;
    const refused = await post('/app', compress(bomb), { 'content-encoding': encoding });
    expect([refused.status, await refused.text()]).toEqual([
      413,
      expect.stringMatching(/^The body of \d+ bytes decodes to more than 100 times its size/),
    ]);
    await expect.poll(kernel.requestMemory.held).toBe(0);
  },
);

test.each(['/app', '/direct'])(
  '%s: a body with more than a million values is rejected before it is parsed',
  async (path) => {
    const { post } = await serve(1024 * MIB);
    const refused = await post(path, `[${'{},'.repeat(1_000_000)}{}]`);
    expect([refused.status, await refused.text()]).toEqual([
      413,
      'The body has more than 1000000 values. Send a smaller request.',
    ]);
  },
);

test('lists and objects count with the memory that they require', async () => {
  const { kernel, post, waiting, answerAll } = await serve();
  const first = post('/app', `[${'{},'.repeat(19_999)}{}]`);
  await expect.poll(waiting).toBe(1);
  const bytes = 3 * 20_000 + 1;
  expect(kernel.requestMemory.held()).toBe(bytes + 64 * 20_001 + 16 * 19_999);
  answerAll();
  await first;
});

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
