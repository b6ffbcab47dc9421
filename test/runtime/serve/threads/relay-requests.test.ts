import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { MessageChannel } from 'node:worker_threads';
import { Hono } from 'hono';
import { afterEach, expect, test } from 'vitest';
import {
  type ConnectedHttp,
  connectHttp,
  type HttpListener,
  listenHttp,
  type Upgrades,
} from '#serve/http/listen.ts';
import { plainTextRefusal } from '#serve/http/invalid-requests.ts';
import { PortConnection } from '#serve/threads/port-connection.ts';
import { createRelay } from '#serve/threads/relay-requests.ts';
import { talk } from '../http/listeners.ts';

interface Bindings {
  readonly incoming: IncomingMessage;
}

let opened: (HttpListener | ConnectedHttp)[] = [];
afterEach(async () => {
  for (const server of opened) await server.close(100);
  opened = [];
});

/** A server whose requests are all passed to another one. */
async function open(
  app: Hono<{ Bindings: Bindings }>,
  { upgrades, encrypted }: { upgrades?: Upgrades; encrypted?: boolean } = {},
) {
  const back = connectHttp({ app, upgrades });
  const connections: PortConnection[] = [];
  const relay = createRelay({
    connect(ends) {
      const { port1, port2 } = new MessageChannel();
      const connection = new PortConnection(port2, encrypted ? { ...ends, encrypted } : ends);
      connections.push(connection);
      back.accept(connection);
      return new PortConnection(port1);
    },
    refuse: plainTextRefusal,
  });
  const front = await listenHttp({
    app: { fetch: () => new Response('not relayed', { status: 500 }) },
    passOn(incoming, outgoing) {
      relay.request(incoming, outgoing);
      return true;
    },
    upgrades: relay.upgrades,
    hostname: '127.0.0.1',
    port: 0,
    portFlag: '--port',
  });
  opened.push(front, back);
  return { url: `http://127.0.0.1:${front.port}`, port: front.port, connections };
}

const PATIENCE = { timeout: 20_000 };

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('a request reaches the other server as the client sent it, and so does its response', async () => {
  const app = new Hono<{ Bindings: Bindings }>().all('*', async (c) => {
    const { method, url, rawHeaders, socket } = c.env.incoming;
    const body = await c.req.text();
    c.header('X-Twice', 'a');
    c.header('X-Twice', 'b', { append: true });
    return c.json({ method, url, rawHeaders, body, address: socket.remoteAddress, link: c.req.url }, 201);
  });
  const { url } = await open(app);
  const response = await fetch(`${url}/a%20b/%2e%2e/c?x=%C3%A4&x=2`, {
    method: 'PUT',
    headers: { 'content-type': 'text/plain', 'x-own': 'ok' },
    body: 'bödy',
  });
  expect(response.status).toBe(201);
  expect(response.headers.get('x-twice')).toBe('a, b');
  const seen = (await response.json()) as { rawHeaders: string[] };
  expect(seen).toMatchObject({
    method: 'PUT',
    body: 'bödy',
    address: '127.0.0.1',
    link: expect.stringContaining('http://127.0.0.1:'),
  });
  expect(seen.rawHeaders.join(' ')).toContain('x-own ok');
  for (const method of ['GET', 'DELETE', 'POST', 'PATCH']) {
    expect(await (await fetch(url, { method })).json()).toMatchObject({ method, body: '' });
  }
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([201, '']);
});

test('a client with HTTP/1.0 and without a host, such as a health check, is served', async () => {
  const app = new Hono<{ Bindings: Bindings }>().get('*', (c) => c.text('healthy'));
  const { port } = await open(app);
  const { ended } = await talk(port, 'GET /health HTTP/1.0\r\n\r\n');
  expect(await ended).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\nhealthy$/);
});

test('the other server knows that the client uses TLS', async () => {
  const app = new Hono<{ Bindings: Bindings }>().get('*', (c) => c.text(c.req.url));
  const { url } = await open(app, { encrypted: true });
  expect(await (await fetch(url)).text()).toMatch(/^https:\/\/127\.0\.0\.1:/);
});

test('large bodies pass in both directions, with and without a length', async () => {
  const app = new Hono<{ Bindings: Bindings }>().post('*', async (c) => c.body(await c.req.arrayBuffer()));
  const { url } = await open(app);
  const bytes = randomBytes(5_000_000);
  const counted = await fetch(url, { method: 'POST', body: bytes });
  expect(hashOf(new Uint8Array(await counted.arrayBuffer()))).toBe(hashOf(bytes));
  const pieces = new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const streamed = await fetch(url, { method: 'POST', body: pieces, duplex: 'half' });
  expect(hashOf(new Uint8Array(await streamed.arrayBuffer()))).toBe(hashOf(bytes));
});

test('a connection can be used again after a response to a request whose body was not read', async () => {
  const app = new Hono<{ Bindings: Bindings }>()
    .post('/refused', (c) => c.text('no', 401))
    .get('/next', (c) => c.text('yes'));
  const { port } = await open(app);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (method: string, path: string, body?: Buffer): Promise<string> => {
    const outgoing = request({
      port,
      method,
      path,
      agent,
      headers: body ? { 'content-length': body.length } : {},
    });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return `${answer.statusCode} ${text} ${answer.headers.connection}`;
  };
  for (let round = 0; round < 3; round += 1) {
    expect(await send('POST', '/refused', randomBytes(300_000))).toBe('401 no keep-alive');
    expect(await send('GET', '/next')).toBe('200 yes keep-alive');
  }
  agent.destroy();
});

test('the body is only requested from the client when the other server reads it', async () => {
  const app = new Hono<{ Bindings: Bindings }>()
    .post('/read', async (c) => c.text(await c.req.text()))
    .post('/refused', (c) => c.text('no', 401));
  const { port } = await open(app);
  const head = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
  const refused = await talk(port, head('/refused'));
  expect(await refused.ended).toMatch(/^HTTP\/1\.1 401 /);
  const read = await talk(port, head('/read'));
  const [first] = (await once(read.socket, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1\.1 100 Continue/);
  read.socket.write('body');
  expect(await read.ended).toMatch(/200 OK[\s\S]*body$/);
});

test('events arrive as they are sent, and the other server notices that the client has disconnected', async () => {
  const aborted = Promise.withResolvers<void>();
  let send: ((text: string) => void) | undefined;
  const app = new Hono<{ Bindings: Bindings }>().get('*', (c) => {
    c.req.raw.signal.addEventListener('abort', () => aborted.resolve());
    const events = new ReadableStream({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
      cancel: () => aborted.resolve(),
    });
    return c.body(events, 200, { 'content-type': 'text/event-stream' });
  });
  const { url, connections } = await open(app);
  const stop = new AbortController();
  const response = await fetch(url, { signal: stop.signal });
  const reader = response.body?.getReader();
  for (const text of ['one', 'two']) {
    send?.(text);
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(text);
  }
  stop.abort();
  await aborted.promise;
  await expect.poll(() => connections.every(({ destroyed }) => destroyed), PATIENCE).toBe(true);
});

test('if the other server is gone, the client gets a retryable error', async () => {
  const app = new Hono<{ Bindings: Bindings }>().get('*', (c) => {
    c.env.incoming.socket.destroy();
    return new Promise<Response>(() => undefined);
  });
  const { url } = await open(app);
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([503, 'The server is shutting down.']);
});

test('connections that switch to another protocol are passed on, and so is a refusal', async () => {
  const upgrades: Upgrades = {
    accepts: ({ url }) => url === '/echo',
    take(_incoming, socket) {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      socket.pipe(socket);
    },
  };
  const app = new Hono<{ Bindings: Bindings }>().get('*', (c) => c.text('no such session', 404));
  const { port } = await open(app, { upgrades });
  const head = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`;
  const echo = await talk(port, `${head('/echo')}first`);
  let text = '';
  echo.socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await expect.poll(() => text, PATIENCE).toMatch(/^HTTP\/1\.1 101 [\s\S]*first$/);
  echo.socket.write(' second');
  await expect.poll(() => text, PATIENCE).toMatch(/first second$/);
  echo.socket.end();
  await echo.ended;
  const refused = await talk(port, head('/other'));
  expect(await refused.ended).toMatch(/^HTTP\/1\.1 404 [\s\S]*no such session$/);
});
