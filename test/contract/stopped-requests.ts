import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const NEW_CONNECTIONS = 20;
const KEPT_CONNECTIONS = 5;

interface Connection {
  readonly socket: Socket;
  readonly received: () => string;
}

/** A request to a port, and another one that opens persistent connections, as raw bytes. */
interface Target {
  readonly port: number;
  readonly request: string;
  readonly first?: string;
}

/**
 * Stops a server with SIGTERM while it has unread requests: the process is suspended, clients connect and send requests, and the process
 * then resumes with all of them and the signal. Returns the last response on each connection.
 */
export async function stopWithUnreadRequests(
  child: Pick<ChildProcess, 'kill'>,
  ...targets: readonly Target[]
): Promise<string[]> {
  const kept = await openAll(targets, KEPT_CONNECTIONS);
  for (const { socket, received, first = HEALTH } of kept) {
    socket.write(first);
    while (!/\r\n\r\n./.test(received())) await once(socket, 'data');
  }
  child.kill('SIGSTOP');
  const all = [...kept, ...(await openAll(targets, NEW_CONNECTIONS))];
  const ended = all.map(async ({ socket, received }) => {
    await once(socket, 'close');
    return received().slice(received().lastIndexOf('HTTP/1.1 '));
  });
  const sent = all.map(({ socket, request }) => new Promise((done) => socket.write(request, done)));
  await Promise.all(sent);
  child.kill('SIGTERM');
  child.kill('SIGCONT');
  return await Promise.all(ended);
}

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

const openAll = (targets: readonly Target[], count: number): Promise<(Target & Connection)[]> =>
  Promise.all(
    targets.flatMap((target) =>
      Array.from({ length: count }, async () => ({ ...target, ...(await open(target.port)) })),
    ),
  );

async function open(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.on('error', () => {}).on('data', (chunk) => (text += chunk.toString()));
  return { socket, received: () => text };
}

/** A raw POST request with JSON. */
export const postText = (
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string => {
  const json = JSON.stringify(body);
  const lines = Object.entries({
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(json)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json}`;
};
