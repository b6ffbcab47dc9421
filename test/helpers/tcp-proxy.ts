import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './ray.ts';

/** Forwards connections to a server; while the proxy is closed, the server cannot be reached through it. */
export interface TcpProxy {
  readonly address: string;
  open(): Promise<void>;
  close(): Promise<void>;
}

export async function createTcpProxy(target: string): Promise<TcpProxy> {
  const port = await freePort();
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const upstream = track(connect(Number(targetPort), hostname));
    track(client).pipe(upstream).pipe(client);
  });
  return {
    address: `http://127.0.0.1:${port}`,
    async open() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
