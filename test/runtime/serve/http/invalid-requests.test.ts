import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { type HttpListener, listenHttp, type ListenOptions } from '#serve/http/listen.ts';
import { readBytes } from '#serve/http/body.ts';
import { httpShell } from '#serve/http/shell.ts';
import { malformedRequestAnswer } from '#gateway/api/http/errors.ts';
import { problemWithoutPath } from '#manager/http/problem.ts';
import { selfSigned } from '../../../helpers/self-signed.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

const open: HttpListener[] = [];
afterAll(async () => await Promise.all(open.map((listener) => listener.close(0))));

const KEY = 'Bearer right';

/** A server with one route for clients with the key, which returns the length of the body. */
async function listen(refuse?: ListenOptions['refuse'], tls?: ListenOptions['tls']): Promise<number> {
  const access = {
    check(given: string | null | undefined) {
      if (given === KEY) return undefined;
      throw new AppError('UnauthorizedError', 'No key, no answer.');
    },
  };
  const app = httpShell({ ...testKernel(), access });
  app.post('/', async (c) => c.text(`${(await readBytes(c, 100)).length} bytes`));
  app.post('/unread', (c) => c.text('unread'));
  app.post('/endless', (c) =>
    c.body(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('begun')) })),
  );
  const listener = await listenHttp({
    app,
    hostname: '127.0.0.1',
    port: 0,
    portFlag: '--port',
    timeouts: { headers: 100, request: 200 },
    refuse,
    tls,
  });
  open.push(listener);
  return listener.port;
}

const PORTS = {
  gateway: await listen(malformedRequestAnswer),
  manager: await listen(problemWithoutPath),
  encoder: await listen(),
};

/** All data received on a connection on which only these bytes are sent. */
async function answerTo(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return received;
}

const POST = `POST / HTTP/1.1\r\nHost: a\r\nAuthorization: ${KEY}\r\n`;
const CASES: readonly (readonly [name: string, text: string, status: number, message: RegExp])[] = [
  ['a request that is not HTTP', 'hello?\r\n\r\n', 400, /^Bad request: /],
  ['a request without a host', 'GET / HTTP/1.1\r\n\r\n', 400, /^Bad request: .*Host/],
  ['a body with two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, /^Bad request: /],
  ['an incomplete header', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow', 408, /did not arrive/],
  ['an incomplete body', `${POST}Content-Length: 10\r\n\r\nhalf`, 408, /did not arrive/],
  [
    'large chunk extensions',
    `${POST}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\nab\r\n`,
    413,
    /extensions/,
  ],
  [
    'an unsupported expectation',
    `${POST}Expect: a miracle\r\nConnection: close\r\n\r\n`,
    417,
    /Expect.*"a miracle"/,
  ],
  [
    'large headers',
    `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    /16384 bytes/,
  ],
];

describe.each(Object.entries(PORTS))('invalid requests to the %s', (target, port) => {
  test.each(CASES)(
    '%s returns an error with the right status and format',
    async (_name, text, status, message) => {
      const answer = await answerTo(port, text);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
      expect(head).toMatch(/^connection: close$/im);
      expect(head).toMatch(new RegExp(`^content-length: ${Buffer.byteLength(body)}$`, 'im'));
      expect(head).toMatch(/^x-request-id: [-0-9a-f]{36}$/im);
      const said = {
        gateway: () => {
          expect(JSON.parse(body)).toMatchObject({ detail: JSON.parse(body).error.message });
          return JSON.parse(body).error.message as string;
        },
        manager: () => {
          expect(head).toMatch(/^content-type: application\/problem\+json$/im);
          expect(JSON.parse(body)).toMatchObject({ status, title: expect.any(String) });
          return JSON.parse(body).detail as string;
        },
        encoder: () => {
          expect(head).toMatch(/^content-type: text\/plain/im);
          return body;
        },
      }[target as keyof typeof PORTS]();
      expect(said).toMatch(message);
    },
  );
});

test('an error after the response has started sends nothing more', async () => {
  const socket = connect(PORTS.gateway, '127.0.0.1');
  socket.on('error', () => {});
  let received = '';
  const begun = Promise.withResolvers<void>();
  socket.on('data', (chunk) => {
    received += chunk.toString();
    if (received.includes('begun')) begun.resolve();
  });
  socket.write(`POST /endless HTTP/1.1\r\nHost: a\r\nAuthorization: ${KEY}\r\nContent-Length: 0\r\n\r\n`);
  await begun.promise;
  socket.write('nonsense\r\n\r\n');
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 200 [^]*begun\r\n$/);
});

test('on a TLS port, a plaintext client is disconnected, and a TLS client gets the error', async () => {
  const port = await listen(malformedRequestAnswer, selfSigned());
  expect(await answerTo(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).not.toContain('HTTP/');
  const socket = connectTls({ port, rejectUnauthorized: false });
  socket.write('hello?\r\n\r\n');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 400 [^]*"error":/);
});

describe('a client that sends Expect: 100-continue', () => {
  const asking = (path: string, key: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${key}\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n`;

  test('gets 100 Continue if its key is valid, and the connection stays open', async () => {
    const socket = connect(PORTS.gateway, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    const until = async (text: string): Promise<void> => {
      while (!received.includes(text)) await once(socket, 'data');
    };
    for (let round = 0; round < 2; round += 1) {
      received = '';
      socket.write(asking('/', KEY));
      await until('HTTP/1.1 100 Continue\r\n\r\n');
      expect(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write('body');
      await until('4 bytes');
    }
    socket.destroy();
  });

  test.each([
    ['its key is invalid', '/', 'Bearer wrong', '401'],
    ['its body is not read', '/unread', KEY, '200'],
  ])('gets the final response immediately if %s', async (_why, path, key, status) => {
    const answer = await answerTo(PORTS.gateway, asking(path, key));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close`, 'i'));
    expect(answer).not.toContain('100 Continue');
  });
});
