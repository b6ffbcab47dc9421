import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { Plugin } from '#gen/mozilla/mcpd/plugins/v1/plugin_pb.ts';
import { plugin, post, served } from './served.ts';

const module = (more: object = {}): object =>
  plugin('module', { kind: 'js', path: 'module.mjs', required: true, ...more });

test('a JavaScript module can change requests and responses', async () => {
  const { url } = await served({ content: [module({ flows: ['request', 'response'] })] });
  const answer = await post(`${url}/echo`, { own: 1 });
  expect(JSON.parse(((await answer.json()) as { body: string }).body)).toEqual({ own: 1, module: true });
  expect(answer.headers.get('X-Seen-Status')).toBe('200');
});

test('a JavaScript module can reject messages, and messages are unchanged if it returns no value', async () => {
  const refusing = await served({ validation: [module({ config: { behavior: 'refuse' } })] });
  const answer = await post(`${refusing.url}/echo`);
  expect([answer.status, await answer.text()]).toEqual([418, 'a teapot']);
  expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  const observing = await served({
    content: [module({ flows: ['response'], config: { behavior: 'observe' } })],
  });
  expect((await post(`${observing.url}/echo`)).headers.has('X-Seen-Status')).toBe(false);
});

test.each([
  ['fail', /internal detail/],
  ['silent', /did not respond within 100 ms/],
  ['nonsense', /must return undefined or an object with/],
  [
    'misplaced',
    /returned `path` and `body`, which change nothing in a request. Return them in `modifiedRequest`/,
  ],
  ['status', /status 1000, which is not between 200 and 599/],
])('a JavaScript module counts as failed if it fails as follows: %s', async (behavior, reason) => {
  const { url, thrown } = await served({ audit: [module({ timeout: '100ms', config: { behavior } })] });
  const answer = await post(`${url}/echo`);
  expect(answer.headers.get('Mcpd-Error-Type')).toBe('request-pipeline-failure');
  expect(thrown).toMatchObject([{ cause: { message: expect.stringMatching(reason) as string } }]);
});

test('a hook receives the messages as JSON', async () => {
  const asked: unknown[] = [];
  const answerWithChange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { 'content-type': type, authorization } = request.headers;
    asked.push([request.method, request.url, type, authorization, await json(request)]);
    const change = { headers: { 'X-Hooked': 'yes' }, body: Buffer.from('"changed"').toString('base64') };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ continue: true, ...change, ignored: 1, modifiedRequest: change }));
  };
  const url = await listen(createServer((request, response) => void answerWithChange(request, response)));
  const hook = plugin('hook', {
    kind: 'http',
    url: '${HOOK}/v1/',
    flows: ['request', 'response'],
    config: { authorization: 'Bearer ${KEY}' },
  });
  const manager = await served({ content: [hook] }, { env: { HOOK: url, KEY: 'k' } });
  const answer = await post(`${manager.url}/other`, { own: 1 });
  expect(await answer.text()).toBe('"changed"');
  expect(answer.headers.get('X-Hooked')).toBe('yes');
  expect(asked).toMatchObject([
    [
      'POST',
      '/v1/HandleRequest',
      'application/json',
      'Bearer k',
      { method: 'POST', path: '/other', body: Buffer.from('{"own":1}').toString('base64') },
    ],
    ['POST', '/v1/HandleResponse', 'application/json', 'Bearer k', { statusCode: 200, continue: true }],
  ]);
});

test('a Connect server can be used as a hook', async () => {
  const url = await listen(
    createServer(
      connectNodeAdapter({
        routes: (router) =>
          router.service(Plugin, {
            handleRequest: ({ path }) => ({ statusCode: 403, body: Buffer.from(`not ${path}`) }),
          }),
      }),
    ),
  );
  const hook = plugin('hook', { kind: 'http', url: `${url}/mozilla.mcpd.plugins.v1.Plugin`, required: true });
  const manager = await served({ authorization: [hook] });
  const answer = await post(`${manager.url}/echo`);
  expect([answer.status, await answer.text()]).toEqual([403, 'not /echo']);
});

test('a hook can return 204 without a body, and any other status is a failure', async () => {
  const statuses = [204, 500];
  const url = await listen(
    createServer((request, response) => {
      request.resume();
      response.writeHead(statuses.shift() ?? 500).end();
    }),
  );
  const manager = await served({ audit: [plugin('hook', { kind: 'http', url, required: true })] });
  expect((await post(`${manager.url}/echo`)).status).toBe(200);
  const failed = await post(`${manager.url}/echo`);
  expect(failed.headers.get('Mcpd-Error-Type')).toBe('request-pipeline-failure');
  expect(manager.thrown).toMatchObject([
    {
      cause: {
        message: 'The audit plugin hook.mjs failed: it returned status 500 instead of 200 or 204',
      },
    },
  ]);
});

test('a silent hook times out', async () => {
  const url = await listen(createServer(() => undefined));
  const hook = plugin('hook', { kind: 'http', url, required: true, timeout: '100ms' });
  const manager = await served({ audit: [hook] });
  expect((await post(`${manager.url}/echo`)).status).toBe(500);
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
