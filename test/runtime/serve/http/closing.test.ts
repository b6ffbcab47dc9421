import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { get as httpsGet } from 'node:https';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { createLifecycle } from '#serve/lifecycle.ts';
import { selfSigned } from '../../../helpers/self-signed.ts';
import { talk, useListeners } from './listeners.ts';

const listen = useListeners();
const CLOSE = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const hello = (): Hono => new Hono().get('/', (c) => c.text('hello'));

describe('closing', () => {
  test('closes idle connections immediately, accepts no new ones, and lets running requests finish', async () => {
    const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const app = new Hono()
      .get('/', (c) => c.text('hello'))
      .get('/slow', async (c) => {
        started.resolve();
        await finish.promise;
        return c.text('done');
      });
    const listener = await listen(app);
    const idle = await talk(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(idle.socket, 'data');
    const silent = await talk(listener.port, '');
    const running = await talk(listener.port, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await started.promise;

    const closed = listener.close(60_000);
    expect(await idle.ended).toContain('hello');
    expect(await silent.ended).toBe('');
    await expect(fetch(`http://127.0.0.1:${listener.port}/`)).rejects.toThrow('fetch failed');
    finish.resolve();
    expect(await running.ended).toMatch(/connection: close[^]*done$/i);
    await closed;
  });

  test('handles requests that have arrived but are not read yet, even on unaccepted connections', async () => {
    const listener = await listen(hello());
    const kept = await talk(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(kept.socket, 'data');
    // The operating system completes these connections and receives their requests before the server does anything else.
    kept.socket.write('GET /?second HTTP/1.1\r\nHost: a\r\n\r\n');
    const waiting = Array.from({ length: 100 }, () =>
      talk(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
    );
    const closed = listener.close(60_000);
    expect((await kept.ended).match(/hello/g)).toHaveLength(2);
    expect(await kept.ended).toMatch(/connection: close\r\n[^]*hello$/i);
    for (const { ended } of await Promise.all(waiting))
      expect(await ended).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*hello$/i);
    await closed;
  });

  test('stops listening while clients reconnect after each response, and loses no request', async () => {
    const listener = await listen(hello());
    const answers: string[] = [];
    const client = async (): Promise<void> => {
      const talking = await talk(listener.port, CLOSE).catch(() => undefined);
      if (!talking) return;
      answers.push(await talking.ended);
      await client();
    };
    const clients = Array.from({ length: 20 }, client);
    await expect.poll(() => answers.length).toBeGreaterThan(100);
    await listener.close(60_000);
    await Promise.all(clients);
    expect(answers.filter((answer) => !/^HTTP\/1\.1 200 [^]*hello$/.test(answer))).toEqual([]);
  });

  test('a request on a connection that the server has closed is not run', async () => {
    const paths: string[] = [];
    const app = new Hono().get('*', (c) => {
      paths.push(c.req.path);
      return c.text('hello');
    });
    const listener = await listen(app);
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {}).resume();
    socket.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    const closed = listener.close(60_000);
    await once(socket, 'end');
    socket.write('GET /late HTTP/1.1\r\nHost: a\r\n\r\n');
    await closed;
    socket.destroy();
    expect(paths).toEqual(['/first']);
  });

  test('from shutdown on, responses contain Connection: close', async () => {
    const lifecycle = createLifecycle();
    lifecycle.ready();
    const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const app = hello().get('/slow', async (c) => {
      started.resolve();
      await finish.promise;
      return c.text('done');
    });
    const { port } = await listen(app, { lifecycle });
    const slow = await talk(port, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await started.promise;
    const before = await talk(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(String((await once(before.socket, 'data'))[0])).toMatch(/connection: keep-alive/i);
    lifecycle.announceStop();
    const after = await talk(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await after.ended).toMatch(/connection: close\r\n[^]*hello$/i);
    finish.resolve();
    expect(await slow.ended).toMatch(/connection: close\r\n[^]*done$/i);
    before.socket.destroy();
  });

  test('does not cut off a large response that a client is still reading', async () => {
    const large = 'x'.repeat(30_000_000);
    const listener = await listen(new Hono().get('/', (c) => c.text(large)));
    const request = httpRequest({ port: listener.port, host: '127.0.0.1' }).end();
    const [response] = await once(request, 'response');
    const closed = listener.close(60_000);
    let received = 0;
    for await (const chunk of response) received += (chunk as Buffer).length;
    expect(received).toBe(large.length);
    await closed;
  });

  test('cuts off connections at the timeout', async () => {
    const started = Promise.withResolvers<void>();
    const app = new Hono().get('/', async () => {
      started.resolve();
      return await new Promise<Response>(() => {});
    });
    const listener = await listen(app);
    const { ended } = await talk(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await started.promise;
    await listener.close(10);
    expect(await ended).toBe('');
  });

  test('works over TLS too', async () => {
    const listener = await listen(hello(), { tls: selfSigned() });
    const request = httpsGet(`https://localhost:${listener.port}/`, { rejectUnauthorized: false });
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    await expect(listener.close(60_000)).resolves.toBeUndefined();
  });
});
