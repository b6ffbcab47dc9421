import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { UNLIMITED_HOLD } from '#core/limits/byte-budget.ts';
import { readIncoming } from '#serve/http/body.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

interface Behavior {
  readonly timeoutMs?: number;
  readonly answers?: boolean;
}

/** Responds with the request body; `outcomes` records the result of each request. */
async function echo({ timeoutMs = 60_000, answers = true }: Behavior = {}): Promise<{
  socket: Socket;
  outcomes: AsyncIterator<string>;
}> {
  const results: string[] = [];
  let more = Promise.withResolvers<void>();
  const tell = (outcome: string): void => {
    results.push(outcome);
    more.resolve();
    more = Promise.withResolvers();
  };
  server = createServer((incoming, outgoing) => {
    void (async () => {
      // Reads the body after authentication has identified the caller.
      await Promise.resolve();
      try {
        const body = Buffer.from(await readIncoming(incoming, timeoutMs, UNLIMITED_HOLD)).toString();
        if (answers) outgoing.end(body);
        tell(body);
      } catch (error) {
        tell((error as Error).message);
      }
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {}).resume();
  const outcomes = (async function* () {
    for (;;) {
      while (results.length === 0) await more.promise;
      yield results.shift() as string;
    }
  })();
  return { socket, outcomes };
}

const head = (length: number): string => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`;
const next = async (outcomes: AsyncIterator<string>): Promise<string> =>
  (await outcomes.next()).value as string;

test('reads empty bodies, and bodies that arrive with the header, after the header or in chunks', async () => {
  const { socket, outcomes } = await echo();
  const long = 'ü'.repeat(100_000);
  socket.write(head(5) + 'hello');
  expect(await next(outcomes)).toBe('hello');
  socket.write(head(0));
  expect(await next(outcomes)).toBe('');
  socket.write(head(5));
  await once(server, 'request');
  socket.write('th');
  await setImmediate();
  socket.write('ere');
  expect(await next(outcomes)).toBe('there');
  socket.write(head(200_000) + long);
  expect(await next(outcomes)).toBe(long);
  socket.write(`${head(1)}a${head(1)}b`);
  expect([await next(outcomes), await next(outcomes)]).toEqual(['a', 'b']);
});

test('a truncated body is rejected, as is a body that does not arrive in time', async () => {
  const cut = await echo();
  cut.socket.write(head(10) + 'half');
  await once(server, 'request');
  cut.socket.destroy();
  expect(await next(cut.outcomes)).toBe('The body was truncated.');
  server.close();
  const slow = await echo({ timeoutMs: 20 });
  slow.socket.write(head(10) + 'half');
  expect(await next(slow.outcomes)).toBe('request body read timeout');
});

test('a client that disconnects before its response affects only its connection', async () => {
  const { socket, outcomes } = await echo({ answers: false });
  const gone = once(server, 'request').then(([incoming]) => once(incoming as IncomingMessage, 'close'));
  socket.write(head(5) + 'hello');
  expect(await next(outcomes)).toBe('hello');
  socket.resetAndDestroy();
  await gone;
});
