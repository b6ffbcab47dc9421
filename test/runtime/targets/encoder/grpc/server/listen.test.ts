import { once } from 'node:events';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp, createServer } from 'node:net';
import { credentials } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { selfSigned } from '#test/helpers/self-signed.ts';
import { CHECK, clientOf, post, readAll, routes, SERVING, write } from './health-calls.ts';
import { requestHttp2 } from './raw-http2.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { useGrpcServers } from './test-server.ts';

const listen = useGrpcServers();
const { log } = testKernel();

test('one port serves gRPC over HTTP/2 and Connect over HTTP/1.1, even if bodies arrive in many chunks', async () => {
  const { port } = await listen({ routes, log });
  const { call, client } = clientOf(port);
  expect(await call('Check', {})).toEqual(SERVING);
  expect(await call('Check', { service: 'x'.repeat(3_000_000) })).toEqual(SERVING);
  client.close();
  expect(await (await post(port)).json()).toEqual({ status: 'SERVING' });
  const large = await post(port, CHECK, JSON.stringify({ service: 'x'.repeat(3_000_000) }));
  expect(await large.json()).toEqual({ status: 'SERVING' });
});

test('the protocol is detected even if the first bytes arrive one at a time', async () => {
  const { port } = await listen({ routes, log });
  const socket = connectTcp(port, 'localhost');
  const request = `POST ${CHECK} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
  for (const byte of request.slice(0, 30)) await write(socket, byte);
  await write(socket, request.slice(30));
  expect(await readAll(socket)).toContain('{"status":"SERVING"}');

  const http2 = connectTcp(port, 'localhost');
  for (const byte of 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n') await write(http2, byte);
  await write(http2, Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  const [settings] = (await once(http2, 'data')) as [Buffer];
  expect(settings[3]).toBe(4);
  http2.destroy();
});

test.each(['[::]', '::', '0.0.0.0', '127.0.0.1', 'localhost', '[::1]'])('listens on %s', async (hostname) => {
  const server = await listen({ routes, log, hostname });
  expect(server.port).toBeGreaterThan(0);
});

test('an unknown method returns UNIMPLEMENTED in every protocol, and browsers get an explanation', async () => {
  const { port } = await listen({ routes, log });
  const grpc = await requestHttp2(port, '/a.B/C', Buffer.alloc(0));
  expect(grpc.headers).toMatchObject({
    ':status': 200,
    'grpc-status': '12',
    'grpc-message': 'Unknown method: /a.B/C. The services on this port are grpc.health.v1.Health.',
  });
  const connected = await post(port, '/a.B/C');
  expect(connected.status).toBe(404);
  expect(await connected.json()).toMatchObject({ code: 'unimplemented' });
  const browser = await fetch(`http://localhost:${port}/`);
  expect(browser.status).toBe(404);
  expect(await browser.text()).toContain('gRPC-Web and Connect');
});

test('a request without a valid host is rejected safely', async () => {
  const { port } = await listen({ routes, log });
  for (const head of [`POST ${CHECK} HTTP/1.0`, `POST ${CHECK} HTTP/1.1\r\nhost: a b:::`]) {
    const socket = connectTcp(port, 'localhost');
    socket.write(
      `${head}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    );
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 400 /);
  }
  expect((await post(port)).status).toBe(200);
});

test('an unusable address causes a one-sentence error, and no socket stays open', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const taken = listen({ routes, log, hostname: '127.0.0.1', port });
  await expect(taken).rejects.toMatchObject({
    code: 'ConfigError',
    message: `Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another port with --grpc-port.`,
  });
  holder.close();
  await once(holder, 'close');
  const server = await listen({ routes, log, hostname: '127.0.0.1', port });
  expect(server.port).toBe(port);
});

test('TLS is used if there is a certificate', async () => {
  const tls = selfSigned();
  const { port } = await listen({ routes, log, tls });
  const { call, client } = clientOf(port, credentials.createSsl(Buffer.from(tls.cert)));
  expect(await call('Check', {})).toEqual(SERVING);
  expect(await call('Check', { service: 'x'.repeat(3_000_000) })).toEqual(SERVING);
  client.close();
  const body = await new Promise<string>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const request = requestHttps(
      { host: 'localhost', port, path: CHECK, method: 'POST', ca: tls.cert, headers, agent: false },
      (response) => {
        response.setEncoding('utf8');
        response.on('data', resolve);
      },
    );
    request.on('error', reject);
    request.end('{}');
  });
  expect(JSON.parse(body)).toEqual({ status: 'SERVING' });
  const plain = clientOf(port);
  expect((await plain.call('Check', {}, { deadline: Date.now() + 1000 })).status).toBeGreaterThan(0);
  plain.client.close();
});
