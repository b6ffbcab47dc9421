import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpListener, listenHttp } from '#serve/http/listen.ts';
import { openApp, type OpenApp } from './open-app.ts';

const HERE = { hostname: '127.0.0.1', port: 0, portFlag: '--http-port' };
/** Headers that differ in each request. */
const OWN = /^(date|x-request-id|x-(compute|total|tokenization|queue|inference)-time)$/;
const TEXTS = ['I love this', 'this is awful'];

describe.each([
  ['sentiment', '/predict', { inputs: TEXTS }],
  ['sentiment', '/predict', { inputs: 'I love this' }],
  ['sentiment', '/predict', { inputs: TEXTS, top_k: 'x' }],
  ['embedder', '/predict', { inputs: TEXTS, normalize: true }],
  ['embedder', '/v1/embeddings', { input: TEXTS, encoding_format: 'base64' }],
  ['embedder', '/v1/embeddings', { input: 7 }],
  ['embedder', '/v1/embeddings', '{"input": '],
])('%s: POST %s with %j', (model, path, body) => {
  let open: OpenApp;
  const listeners: HttpListener[] = [];
  beforeAll(async () => {
    open = await openApp(model, { apiKeys: ['right'] });
    for (const direct of [open.direct, undefined])
      listeners.push(await listenHttp({ app: open.app, direct, ...HERE }));
  });
  afterAll(async () => {
    for (const listener of listeners) await listener.close(0);
    await open.close();
  });
  const askAll = (key: string) =>
    Promise.all(
      listeners.map(async ({ port }) => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        });
        const { status, headers } = answer;
        const compared = [...headers].filter(([name]) => !OWN.test(name));
        return { status, headers: Object.fromEntries(compared), body: await answer.text() };
      }),
    );

  test('the response is the same with and without the framework', async () => {
    const [direct, app] = await askAll('right');
    expect(direct).toEqual(app);
  });

  test('a wrong key is rejected with the same response', async () => {
    const [direct, app] = await askAll('wrong');
    expect(direct).toMatchObject({ status: 401 });
    expect(direct).toEqual(app);
  });
});
