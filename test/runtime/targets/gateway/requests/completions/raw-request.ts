import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { CHAT } from './fixture-gateway.ts';

/** Sends a request on its own connection, byte for byte. */
export async function openRawRequest(
  url: string,
  secret: string,
  body: string,
  headers: readonly string[] = [`Content-Length: ${Buffer.byteLength(body)}`],
): Promise<Socket> {
  const { port, hostname, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = [
    `POST ${CHAT} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}
