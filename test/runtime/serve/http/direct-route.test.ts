import { afterEach, expect, test } from 'vitest';
import { createDirectListener, type DirectRoute } from '#serve/http/exchange.ts';
import { type HttpListener, listenHttp } from '#serve/http/listen.ts';
import { httpShell } from '#serve/http/shell.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

let listener: HttpListener | undefined;
afterEach(async () => await listener?.close(0));

const ECHO: DirectRoute = {
  route: '/echo',
  path: /^\/echo(?:\?.*)?$/,
  maxBodyBytes: 1000,
  async answer({ exchange }) {
    exchange.answer({ status: 200, body: await exchange.readBody({ maxBodyBytes: 1000 }) });
  },
};

test.each([
  ['directly', {}],
  ['by the app', { origin: 'http://127.0.0.1' }],
])('the log contains the path without the query of a request that is handled %s', async (_how, headers) => {
  const kernel = testKernel();
  const app = httpShell(kernel);
  app.post('/echo', async (c) => c.text(await c.req.text()));
  const direct = createDirectListener(kernel, [ECHO]);
  listener = await listenHttp({ app, direct, hostname: '127.0.0.1', port: 0, portFlag: '--port' });
  const answer = await fetch(`http://127.0.0.1:${listener.port}/echo?api_key=gw-SECRET`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{}',
  });
  expect(await answer.text()).toBe('{}');
  expect(kernel.logged).toMatchObject([{ path: '/echo', status: 200 }]);
  expect(JSON.stringify(kernel.logged)).not.toContain('SECRET');
});
