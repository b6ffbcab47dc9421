import { once } from 'node:events';
import { request as requestHttp1 } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import type { ConnectRouter } from '@connectrpc/connect';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { connect, type TestClient } from './grpc-js.ts';

export const CHECK = '/grpc.health.v1.Health/Check';
export const LIST = '/grpc.health.v1.Health/List';
export const SERVING = { answer: { status: 'SERVING' } };

/** A service with one method, Check, which always reports SERVING. */
export const routes = (router: ConnectRouter): void =>
  void router.service(Health, { check: () => ({ status: 1 }) });

export const LARGE = 2000;

/** A service with one method, List, whose response has many megabytes. */
export const largeRoutes = (router: ConnectRouter): void => {
  const statuses = Object.fromEntries(
    Array.from({ length: LARGE }, (_, at) => [`${at} ${'x'.repeat(5000)}`, {}]),
  );
  router.service(Health, { list: () => ({ statuses }) });
};

export const clientOf = (
  port: number,
  security: ChannelCredentials = credentials.createInsecure(),
): TestClient => connect('grpc/health/v1/health.proto', 'grpc.health.v1.Health', port, security);

export const post = (port: number, path = CHECK, body = '{}'): Promise<Response> =>
  fetch(`http://localhost:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });

export const write = (socket: Socket, text: string | Buffer): Promise<void> =>
  new Promise((resolve) => {
    socket.write(text, () => resolve());
  });

/** The response to a call, of which only the headers have been read. */
export function postHttp1(port: number, path: string): Promise<Readable> {
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = requestHttp1({ host: 'localhost', port, path, method: 'POST', headers, agent: false });
    request.on('response', resolve);
    request.on('error', reject);
    request.end('{}');
  });
}

export async function postHttp2(port: number, path: string): Promise<Readable> {
  const session = connectHttp2(`http://localhost:${port}`);
  const type = { 'content-type': 'application/json' };
  const stream = session.request({ ':method': 'POST', ':path': path, ...type });
  stream.end('{}');
  await once(stream, 'response');
  return stream;
}

/** The data that the server sends until it closes the connection. */
export async function readAll(socket: Socket): Promise<string> {
  socket.setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk: string) => void (text += chunk));
  socket.on('error', () => {});
  await once(socket, 'close');
  return text;
}
