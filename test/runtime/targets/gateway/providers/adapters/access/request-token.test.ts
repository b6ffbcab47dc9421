import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { isAccessRefused } from '#gateway/providers/adapters/access/access.ts';
import { authorizedUpstream } from '#gateway/providers/adapters/access/authorized-upstream.ts';
import { requestToken } from '#gateway/providers/adapters/access/request-token.ts';
import { createWaiter } from '#gateway/providers/adapters/upstream.ts';
import { createTestClock } from '../../../test-clock.ts';

let answer: RequestListener = () => undefined;
let arrived = Promise.withResolvers<void>();
const server = createServer((request, response) => {
  arrived.resolve();
  answer(request, response);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const clock = createTestClock();
const ask = async (): Promise<unknown> =>
  await requestToken({ url: `http://${host}/token?x=1`, form: { a: 'b c' }, what: 'a token', clock });
/** The error of a request, and whether the credentials caused it. */
const errorOf = async (asked: Promise<unknown>): Promise<readonly [string, boolean]> => {
  try {
    await asked;
  } catch (error) {
    return [(error as Error).message, isAccessRefused(error)];
  }
  throw new Error('no error');
};
const says =
  (status: number, body: string, date = new Date(clock.now()).toUTCString()): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { date }).end(body);

test('the response status determines whether the credentials are considered invalid', async () => {
  answer = says(200, '{"access_token": "t"}');
  expect(await ask()).toEqual({ access_token: 't' });
  answer = says(400, '{"error": "invalid_grant", "error_description": "Expired.\\nTrace: 1"}');
  expect(await errorOf(ask())).toEqual([
    `${host} rejected the request for a token (status 400): Expired.`,
    true,
  ]);
  answer = says(401, '', 'Sun, 01 Mar 2026 12:07:00 GMT');
  expect(await errorOf(ask())).toEqual([
    `${host} rejected the request for a token (status 401): no reason. The clock of this machine is 7 minutes behind; correct it.`,
    true,
  ]);
  answer = says(503, 'busy');
  expect(await errorOf(ask())).toEqual([
    `${host} rejected the request for a token (status 503): busy.`,
    false,
  ]);
  answer = says(200, '<html>');
  expect(await errorOf(ask())).toEqual([`cannot get a token: ${host} returned invalid JSON`, false]);
});

test('a token request times out after 10 seconds', async () => {
  answer = () => undefined;
  arrived = Promise.withResolvers();
  const error = errorOf(ask());
  await arrived.promise;
  clock.advance(10_001);
  expect(await error).toEqual(['cannot get a token: no response within 10000 ms', false]);
});

test('a request that waits for credentials is aborted if its client disconnects', async () => {
  const waiter = createWaiter();
  const upstream = authorizedUpstream(
    {
      request: () => Promise.reject(new Error('was sent')),
      close: () => Promise.resolve(),
    },
    { headers: () => new Promise(() => undefined) },
  );
  const request = upstream.request({ method: 'GET', path: '/', waiter });
  waiter.cancel();
  await expect(request).rejects.toThrow('aborted');
});
