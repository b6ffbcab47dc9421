import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { serveMcpOverStdio, type StdioOptions } from '#serve/mcp/stdio.ts';
import { type Example, example } from './example-server.ts';
import { call, INITIALIZE } from './requests.ts';

interface Client {
  readonly server: Example;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly done: Promise<void>;
  readonly write: (message: unknown) => void;
  /** The next line of stdout, parsed. */
  readonly read: () => Promise<unknown>;
}

function open(options: Partial<StdioOptions> = {}): Client {
  const server = example();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const done = serveMcpOverStdio(server.server, { stdin, stdout, client: () => undefined, ...options });
  let rest = '';
  return {
    server,
    stdin,
    stdout,
    done,
    write: (message) =>
      void stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    async read() {
      while (!rest.includes('\n')) {
        const chunk: Buffer | null = stdout.read();
        if (chunk === null) await once(stdout, 'readable');
        else rest += chunk.toString();
      }
      const [line = '', ...lines] = rest.split('\n');
      rest = lines.join('\n');
      return JSON.parse(line);
    },
  };
}

const error = (id: unknown, code: number): object => ({ jsonrpc: '2.0', id, error: { code } });

test('reads one message per line, in any chunks, until stdin closes', async () => {
  const { stdin, write, read, done } = open();
  write(INITIALIZE);
  expect(await read()).toMatchObject({ id: 1, result: { serverInfo: { name: 'example' } } });
  for (const byte of Buffer.from(`${JSON.stringify(call(2, 'echo'))}\r\n\n  \n`))
    stdin.write(Buffer.of(byte));
  expect(await read()).toMatchObject({ id: 2, result: {} });
  stdin.end(JSON.stringify(call(3, 'echo')));
  expect(await read()).toMatchObject({ id: 3, result: {} });
  await done;
});

test('messages follow the same rules as over HTTP: unknown fields are ignored, and an invalid message returns an error', async () => {
  const { stdin, write, read, done } = open();
  write({ ...INITIALIZE, trace: 'abc' });
  expect(await read()).toMatchObject({ id: 1, result: {} });
  for (const id of [1.5, null]) {
    write({ jsonrpc: '2.0', id, method: 'ping' });
    expect(await read()).toMatchObject(error(null, -32_600));
  }
  for (const message of [
    { jsonrpc: '2.0', id: 7, method: 'ping', params: 5 },
    { ...call(7, 'echo'), jsonrpc: '1.0' },
  ]) {
    write(message);
    expect(await read()).toMatchObject(error(7, -32_600));
  }
  stdin.end();
  await done;
});

test('a batch gets a batch of responses, only in the version that supports batches', async () => {
  const list = [call(2, 'echo'), { jsonrpc: '2.0', method: 'notifications/initialized' }, call(3, 'echo')];
  const versioned = (protocolVersion: string): object => ({
    ...INITIALIZE,
    params: { ...INITIALIZE.params, protocolVersion },
  });
  const { stdin, write, read, done } = open();
  write(list);
  expect(await read()).toMatchObject(error(null, -32_600));
  write(versioned('2025-06-18'));
  await read();
  write(list);
  expect(await read()).toMatchObject(error(null, -32_600));
  write(versioned('2025-03-26'));
  await read();
  write(list);
  expect(await read()).toMatchObject([
    { id: 2, result: {} },
    { id: 3, result: {} },
  ]);
  write([]);
  expect(await read()).toMatchObject(error(null, -32_600));
  stdin.end();
  await done;
});

test("a client with an unknown version is offered the server's version", async () => {
  const { stdin, write, read, done } = open({ offeredVersion: '2025-06-18' });
  write({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: '1999-01-01' } });
  expect(await read()).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
  stdin.end();
  await done;
});

test('requests in flight when stdin closes get a response', async () => {
  const { server, stdin, write, read, done } = open();
  const started = server.next('started');
  write(call(1, 'wait'));
  await started;
  stdin.end();
  server.release();
  expect(await read()).toMatchObject({ id: 1, result: {} });
  await done;
});

test('requests in flight when the signal arrives get a response, and no more input is read', async () => {
  const end = new AbortController();
  const { server, stdin, stdout, write, read, done } = open({ signal: end.signal });
  const started = server.next('started');
  write(call(1, 'wait'));
  await started;
  end.abort();
  write(call(2, 'echo'));
  server.release();
  expect(await read()).toMatchObject({ id: 1, result: {} });
  await done;
  expect(stdout.read()).toBeNull();
  expect(stdin.isPaused()).toBe(true);
  await open({ signal: AbortSignal.abort() }).done;
});

test('a line that is not a message returns an error, and the next line is read', async () => {
  const { stdin, write, read, done } = open({ maxLineBytes: 500 });
  write('no JSON');
  expect(await read()).toMatchObject(error(null, -32_700));
  write('\u0000\uFFFD{{{');
  expect(await read()).toMatchObject(error(null, -32_700));
  for (const value of ['null', '42', '[]', '{}', '{"jsonrpc":"2.0","id":5,"result":3}']) {
    write(value);
    expect(await read()).toMatchObject(error(null, -32_600));
  }
  write({ id: 'mine', method: 'ping' });
  expect(await read()).toMatchObject(error('mine', -32_600));
  write({ jsonrpc: '2.0', id: 1.5, method: 'ping' });
  expect(await read()).toMatchObject(error(null, -32_600));
  write('x'.repeat(100_000));
  expect(await read()).toMatchObject({
    ...error(null, -32_600),
    error: { message: 'Message too large: the maximum is 500 bytes.' },
  });
  write(call(1, 'echo'));
  expect(await read()).toMatchObject({ id: 1, result: {} });
  stdin.end();
  await done;
});

test('a canceled request gets no response, and shutdown does not wait for it', async () => {
  const { server, stdin, stdout, write, done } = open();
  const started = server.next('started');
  write(call(9, 'wait'));
  await started;
  const cancelled = server.next('cancelled');
  write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } });
  stdin.end();
  await Promise.all([cancelled, done]);
  expect(stdout.read()).toBeNull();
});

test('the server stops reading from a client that does not read', async () => {
  const { stdin, stdout, write, read, done } = open();
  const message = { ...call(1, 'echo'), params: { name: 'echo', arguments: { text: 'x'.repeat(50_000) } } };
  const send = (count: number): void => {
    for (let sent = 0; sent < count; sent += 1) write(message);
  };
  send(10);
  while (!stdout.writableNeedDrain) await new Promise(setImmediate);
  send(10);
  while (!stdin.isPaused()) await new Promise(setImmediate);
  send(30);
  await new Promise(setImmediate);
  expect(stdin.readableLength + stdin.writableLength).toBeGreaterThan(30 * 50_000);
  for (let got = 0; got < 50; got += 1) expect(await read()).toMatchObject({ id: 1 });
  stdin.end();
  await done;
});

test.each(['error', 'close'])(
  'a client that disconnects (%s) stops the server and cancels its requests',
  async (event) => {
    const { server, stdout, write, done } = open();
    const started = server.next('started');
    write(call(1, 'wait'));
    await started;
    const cancelled = server.next('cancelled');
    stdout.destroy(event === 'error' ? new Error('EPIPE') : undefined);
    await expect(Promise.all([cancelled, done])).resolves.toHaveLength(2);
  },
);

test('a response that cannot be written counts as a failure, not as a disconnected client', async () => {
  const { stdout, write, done } = open();
  stdout._write = (_chunk, _encoding, callback) =>
    callback(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
  write(call(1, 'echo'));
  await expect(done).rejects.toMatchObject({
    code: 'ConfigError',
    message: 'Cannot write to stdout: ENOSPC: no space left on device, write.',
  });
});

test('closing stdout before the response counts as a failure', async () => {
  const { stdout, write, done } = open();
  stdout._write = (_chunk, _encoding, callback) =>
    callback(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  write(call(1, 'echo'));
  await expect(done).rejects.toMatchObject({
    code: 'ConfigError',
    message: 'Cannot write to stdout: the client closed it before it had read all responses.',
  });
});

test('an error on stdin counts as the end of stdin', async () => {
  const { stdin, write, read, done } = open();
  write(call(1, 'echo'));
  expect(await read()).toMatchObject({ id: 1 });
  stdin.destroy(new Error('EIO'));
  await done;
});
