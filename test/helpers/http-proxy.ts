import { once } from 'node:events';
import { createServer, request as requestHttp } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface HttpProxy {
  readonly url: string;
  /** Request targets: absolute URLs, or `CONNECT host:port`. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** A proxy for HTTP and HTTPS that forwards everything to one local port, regardless of the requested host. */
export async function startHttpProxy(targetPort: number): Promise<HttpProxy> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const { pathname, search } = new URL(request.url ?? '');
    const { method, headers } = request;
    const options = { host: '127.0.0.1', port: targetPort, path: `${pathname}${search}`, method, headers };
    const onward = requestHttp(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request, client: Socket) => {
    requests.push(`CONNECT ${request.url}`);
    const target = connect(targetPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
