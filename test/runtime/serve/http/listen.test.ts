import { once } from 'node:events';
import { get as httpsGet } from 'node:https';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { readBytes } from '#serve/http/body.ts';
import { httpShell } from '#serve/http/shell.ts';
import { selfSigned } from '../../../helpers/self-signed.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';
import { talk, useListeners } from './listeners.ts';

const listen = useListeners();
const hello = (): Hono => new Hono().get('/', (c) => c.text('hello'));

test('port 0 selects a free port and reports it; all forms of a host name work', async () => {
  for (const hostname of ['127.0.0.1', 'localhost', '0.0.0.0']) {
    const { port } = await listen(hello(), { hostname });
    expect(port).toBeGreaterThan(0);
    expect(await (await fetch(`http://${hostname}:${port}/`)).text()).toBe('hello');
  }
});

test('a port in use causes a one-sentence error', async () => {
  const { port } = await listen(hello());
  await expect(listen(hello(), { port })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another port with --http-port.`,
  );
});

test('with a certificate, the server accepts only HTTPS', async () => {
  const { port } = await listen(hello(), { tls: selfSigned() });
  const options = { port, rejectUnauthorized: false };
  const [response] = await once(httpsGet('https://localhost/', options), 'response');
  expect(response.statusCode).toBe(200);
  response.resume();
  const { ended } = await talk(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await ended).not.toContain('hello');
});

describe('slow and broken clients', () => {
  const timeouts = { headers: 100, request: 200, keepAlive: 100 };

  test('a connection without a request is closed without a response', async () => {
    const { port } = await listen(hello(), { timeouts });
    const { ended } = await talk(port, '');
    expect(await ended).toBe('');
  });

  test('a connection with an incomplete header is closed', async () => {
    const { port } = await listen(hello(), { timeouts });
    const { ended } = await talk(port, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow');
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a connection with an incomplete body is closed', async () => {
    const kernel = testKernel();
    const app = httpShell(kernel);
    app.post('/', async (c) => c.text(String((await readBytes(c, 100)).length)));
    const { port } = await listen(app, { timeouts });
    const { ended } = await talk(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{"a"');
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
    const chunked = await talk(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"a"',
    );
    expect(await chunked.ended).toMatch(/^HTTP\/1\.1 408 /);
    expect(kernel.logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  test('an idle keep-alive connection is closed', async () => {
    const { port } = await listen(hello(), { timeouts });
    const { ended } = await talk(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await ended).toContain('hello');
  });

  test.each([
    ['a request that is not HTTP', 'hello?\r\n\r\n', 400],
    [
      'a request with a header that is too large',
      `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['a request without a host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['a request with an invalid host', 'GET / HTTP/1.1\r\nHost: a b/c?d\r\nConnection: close\r\n\r\n', 400],
    ['a request with an invalid target', 'GET nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
    ['an HTTP/1.0 request without a host', 'GET / HTTP/1.0\r\n\r\n', 200],
  ])('%s gets the expected status, and the next request succeeds', async (_name, text, status) => {
    const { port } = await listen(hello());
    const { ended } = await talk(port, text);
    expect(await ended).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    // The app handles its own errors.
    expect(/^x-request-id: \S+\r$/im.test(await ended)).toBe(status !== 200);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
  });

  test('a body that is too large is rejected while the client is still sending it', async () => {
    const app = httpShell(testKernel());
    app.post('/', async (c) => c.text(String((await readBytes(c, 1000)).length)));
    const { port } = await listen(app);
    const { socket, ended } = await talk(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`;
    const answered = once(socket, 'data');
    socket.write(chunk + chunk);
    const [first] = await answered;
    expect(String(first)).toMatch(/^HTTP\/1\.1 413 [^]*the maximum is 1000 bytes/);
    socket.destroy();
    await ended;
  });
});

test('a request is aborted when its client disconnects', async () => {
  const [started, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const app = new Hono().get('/', async (c) => {
    c.req.raw.signal.addEventListener('abort', () => aborted.resolve());
    started.resolve();
    await aborted.promise;
    return c.text('nobody reads this');
  });
  const { port } = await listen(app);
  const { socket } = await talk(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await started.promise;
  socket.destroy();
  await expect(aborted.promise).resolves.toBeUndefined();
});

test('a thousand clients that connect and disconnect cause no failure', async () => {
  const { port } = await listen(hello());
  for (let round = 0; round < 10; round++) {
    const sockets = await Promise.all(
      Array.from({ length: 100 }, (_, at) => talk(port, at % 2 === 0 ? '' : 'GET / HTTP/1.1\r\nHo')),
    );
    for (const { socket } of sockets) socket.destroy();
    await Promise.all(sockets.map(({ ended }) => ended));
  }
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
});

describe('a client that half-closes its connection after the request', () => {
  const slow = (gone: () => void): Hono =>
    new Hono().get('/', async (c) => {
      c.req.raw.signal.addEventListener('abort', gone);
      await new Promise((resolve) => void setTimeout(resolve, 100));
      return c.text('hello');
    });
  test.each(['GET / HTTP/1.0\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'])(
    'gets its response: %j',
    async (request) => {
      let isGone = false;
      const { port } = await listen(slow(() => (isGone = true)));
      const { socket, ended } = await talk(port, request);
      socket.end();
      expect(await ended).toMatch(/^HTTP\/1\.1 200 [\s\S]*hello$/);
      expect(isGone).toBe(false);
    },
  );
  test('is disconnected if the connection is kept alive', async () => {
    const gone = Promise.withResolvers<void>();
    const { port } = await listen(slow(() => gone.resolve()));
    const { socket } = await talk(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    socket.end();
    await expect(gone.promise).resolves.toBeUndefined();
  });
});
