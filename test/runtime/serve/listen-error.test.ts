import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { bindHost, explainListenError } from '#serve/bind.ts';

/** Node's error when it cannot listen on an address. */
function listenError(host: string, port: number): Promise<unknown> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', resolve);
    server.once('listening', () => server.close(() => reject(new Error(`listened on ${host}:${port}`))));
    try {
      server.listen(port, bindHost(host));
    } catch (error) {
      resolve(error);
    }
  });
}

const explain = async (hostname: string, port: number): Promise<string> =>
  explainListenError(await listenError(hostname, port), { hostname, port, portFlag: '--grpc-port' }).message;

test('a port in use is reported with the address and the flag', async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const address = holder.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  expect(await explain('127.0.0.1', port)).toBe(
    `Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another port with --grpc-port.`,
  );
  await new Promise((resolve) => holder.close(resolve));
});

test('an address of another machine, an unknown name and an invalid port are rejected with a suggestion', async () => {
  expect(await explain('192.0.2.1', 0)).toBe(
    'Cannot listen on 192.0.2.1:0: the address does not belong to this machine. Set an address of this machine, or 0.0.0.0 for all addresses.',
  );
  expect(await explain('no-such-host.invalid', 0)).toBe(
    'Cannot listen on no-such-host.invalid:0: unknown host name "no-such-host.invalid". Set an address of this machine, or 0.0.0.0 for all addresses.',
  );
  expect(await explain('127.0.0.1', 70_000)).toBe(
    'Cannot listen on 127.0.0.1:70000: the port must be a number from 0 to 65535. Set it with --grpc-port.',
  );
});

test('a reserved port is rejected with a suggestion to use a higher port', () => {
  const error = Object.assign(new Error('listen EACCES: permission denied 0.0.0.0:80'), { code: 'EACCES' });
  expect(explainListenError(error, { hostname: '0.0.0.0', port: 80, portFlag: '--http-port' }).message).toBe(
    'Cannot listen on 0.0.0.0:80: permission denied. Choose a port above 1023 with --http-port.',
  );
});

test('an unexpected error keeps its message and cause', () => {
  const error = new Error('listen EWEIRD');
  const explained = explainListenError(error, { hostname: '[::]', port: 1, portFlag: '--grpc-port' });
  expect(explained).toBeInstanceOf(AppError);
  expect(explained).toMatchObject({
    code: 'ConfigError',
    cause: error,
    message: 'Cannot listen on [::]:1: listen EWEIRD.',
  });
});
