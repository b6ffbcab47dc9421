import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import { type HttpListener, listenHttp, type ListenOptions } from '#serve/http/listen.ts';

export type Listen = (app: ListenOptions['app'], options?: Partial<ListenOptions>) => Promise<HttpListener>;

/** Listeners on free ports, which are closed after the test. */
export function useListeners(): Listen {
  let open: HttpListener[] = [];
  afterEach(async () => {
    await Promise.all(open.map((listener) => listener.close(0)));
    open = [];
  });
  return async (app, options = {}) => {
    const address = { hostname: '127.0.0.1', port: 0, portFlag: '--http-port' };
    const listener = await listenHttp({ app, ...address, ...options });
    open.push(listener);
    return listener;
  };
}

/** A raw connection, with all data received on it. */
export async function talk(port: number, text: string): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('error', () => {});
  const ended = once(socket, 'close').then(() => received);
  socket.write(text);
  return { socket, ended };
}
