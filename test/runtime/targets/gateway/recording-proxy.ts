import { createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll } from 'vitest';

export interface RecordingProxy {
  readonly url: string;
  /** Number of WebSocket connections opened so far. */
  readonly sockets: () => number;
}

/** A proxy in front of a provider that records everything it receives. It is stopped after the tests of the file. */
export async function startRecorder(target: string, arrived: string[]): Promise<RecordingProxy> {
  let sockets = 0;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    arrived.push(`${request.method} ${request.url}\n${body.toString('utf8')}`);
    const { method, headers } = request;
    const sent = forward(`${target}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.once('error', () => response.destroy());
    response.once('close', () => sent.destroy());
    sent.end(body);
  };
  const server = createServer((request, response) => void pass(request, response));
  server.on('upgrade', (request, socket, head) => {
    sockets += 1;
    const { hostname, port } = new URL(target);
    const upstream = connect(Number(port), hostname, () => {
      const lines = [`GET ${request.url} HTTP/1.1`];
      for (let at = 0; at < request.rawHeaders.length; at += 2)
        lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
      upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    for (const one of [socket, upstream])
      one.on('error', () => [socket, upstream].forEach((each) => each.destroy()));
    socket.on('data', (bytes: Buffer) => arrived.push(bytes.toString('latin1')));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets: () => sockets,
  };
}
