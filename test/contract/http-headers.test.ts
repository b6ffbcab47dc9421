import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { ask, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesServed } from './verifies.ts';

const serve = shareServers();

const NEW_ID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

verifiesServed('http:request-id', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const idOf = async (id?: string): Promise<unknown> =>
    (await ask(`${url}/health`, { headers: id === undefined ? {} : { 'x-request-id': id } })).headers[
      'x-request-id'
    ];
  expect(await idOf('My.id-1_2')).toBe('My.id-1_2');
  for (const odd of [undefined, '', 'two words', 'é', 'x'.repeat(129), '{"a":1}'])
    expect(await idOf(odd), odd).toMatch(NEW_ID);
  expect(await idOf()).not.toBe(await idOf());
  for (const answer of [
    await ask(`${url}/nowhere`),
    await ask(`${url}/`),
    await post(`${url}/predict`, { inputs: ['a'] }),
    await post(`${url}/predict`, '{'),
    await post(`${url}/mcp`, '{'),
  ])
    expect(answer.headers['x-request-id']).toMatch(NEW_ID);
});

const TIMES = ['x-compute-time', 'x-total-time', 'x-tokenization-time', 'x-queue-time', 'x-inference-time'];
const CALLS = {
  sentiment: [['/predict', { inputs: ['I love this', ['a', 'é😀']] }, 14, 11]],
  embedder: [['/v1/embeddings', { input: ['I love this'] }, 11, 5]],
  reranker: [['/rerank', { query: 'tea', documents: ['tea', 'none'] }, 13, 11]],
} as const;

verifiesServed('http:timing', async (arm) => {
  for (const [model, calls] of Object.entries(CALLS)) {
    const { url } = await serve(arm, model);
    for (const [path, body, characters, tokens] of calls) {
      const { status, headers } = await post(url + path, body);
      expect(status, path).toBe(200);
      for (const name of TIMES) expect(headers[name], name).toMatch(/^\d+(\.\d{1,3})?$/);
      expect(Number(headers['x-total-time'])).toBeGreaterThanOrEqual(Number(headers['x-inference-time']));
      expect(headers['x-compute-type']).toBe('cpu');
      expect(headers['x-compute-characters']).toBe(String(characters));
      expect(headers['x-compute-tokens']).toBe(String(tokens));
    }
  }
});

const PATHS = [
  '/health',
  '/model',
  '/metrics',
  '/',
  '/docs',
  '/openapi.json',
  '/predict',
  '/mcp',
  '/nowhere',
];

verifiesServed('http:hosts', async (arm) => {
  const statuses = async (url: string, headers: Record<string, string>): Promise<Set<number>> =>
    new Set(await Promise.all(PATHS.map(async (path) => (await ask(url + path, { headers })).status)));
  const open = await serve(arm, 'sentiment');
  const named = await serve(arm, 'sentiment', ['--allowed-hosts', 'model.example']);
  const keyed = await serve(arm, 'sentiment', ['--api-key', 'key']);
  for (const host of ['evil.example', 'model.example:80'])
    expect(await statuses(open.url, { host })).toEqual(new Set([403]));
  for (const host of ['10.0.0.1', 'localhost:1', '[::1]'])
    expect(await statuses(open.url, { host })).not.toContain(403);
  expect(await statuses(named.url, { host: 'model.example' })).not.toContain(403);
  expect(await statuses(keyed.url, { host: 'model.example' })).not.toContain(403);
  for (const { url } of [open, named, keyed])
    expect(await statuses(url, { origin: 'https://evil.example' })).toEqual(new Set([403]));
  const refused = await ask(`${open.url}/health`, { headers: { host: 'evil.example' } });
  expect(refused.text).toMatch(/^Host "evil\.example" is not allowed\. .* --allowed-hosts\.$/);
});

verifiesServed('http:cors', async (arm) => {
  const closed = await serve(arm, 'sentiment');
  const asPage = (origin: string): { headers: Record<string, string> } => ({ headers: { origin } });
  const none = await ask(`${closed.url}/model`, asPage('https://app.example'));
  expect(none.status).toBe(403);
  expect(none.headers).not.toHaveProperty('access-control-allow-origin');

  const origins = ['--cors-origins', 'https://app.example, http://LOCALHOST:3000/', '--api-key', 'key'];
  const { url } = await serve(arm, 'sentiment', origins);
  for (const origin of ['https://app.example', 'http://localhost:3000']) {
    const { status, headers } = await ask(`${url}/model`, asPage(origin));
    // A web page can read why it is rejected.
    expect([status, headers['access-control-allow-origin']]).toEqual([401, origin]);
    expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
    expect(headers.vary).toContain('Origin');
  }
  const evil = await ask(`${url}/model`, asPage('https://evil.example'));
  expect(evil.headers).not.toHaveProperty('access-control-allow-origin');
  // Browsers send a preflight request before JSON or a key, and the preflight contains neither.
  const preflight = await ask(`${url}/predict`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
  expect(preflight).toMatchObject({ status: 204, text: '' });
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'access-control-allow-headers': 'authorization,content-type',
    'access-control-allow-methods': expect.stringContaining('POST') as string,
  });
});

verifiesServed('http:pipelined', async (arm) => {
  const { httpPort } = await serve(arm, 'sentiment');
  const head = 'POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  const texts = ['I love this', 'this is awful', 'I love this'];
  const bodies = texts.map((text) => JSON.stringify({ inputs: [text], metadata: { text } }));
  const requests = bodies.map((body, at) =>
    at === 1
      ? `${head}Transfer-Encoding: chunked\r\n\r\n4\r\n${body.slice(0, 4)}\r\n${(body.length - 4).toString(16)}\r\n${body.slice(4)}\r\n0\r\n\r\n`
      : `${head}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  const socket = connect(httpPort, '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (text: string) => (received += text));
  socket.write(`${requests.join('')}GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(
    Array.from({ length: 4 }, () => '200'),
  );
  expect([...received.matchAll(/"metadata":{"text":"(.*?)"}}/g)].map(([, text]) => text)).toEqual(texts);
  expect(received.endsWith('"OK!"')).toBe(true);
});

verifiesServed('http:compression', async (arm) => {
  const { url } = await serve(arm, 'sentence');
  const inputs = Array.from({ length: 500 }, (_, index) => `Text ${index}`);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const send = (accepted: string): Promise<Response> =>
    fetch(`${url}/predict`, {
      method: 'POST',
      headers: { ...headers, 'accept-encoding': accepted },
      body: gzipSync(JSON.stringify({ inputs })),
    });
  const [plain, compressed] = [await send('identity'), await send('gzip')];
  expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null]);
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  for (const { headers: received } of [plain, compressed])
    expect(received.get('vary')).toBe('Accept-Encoding');
  expect(Number(compressed.headers.get('content-length'))).toBeLessThan(
    Number(plain.headers.get('content-length')),
  );
  expect(await compressed.json()).toEqual(await plain.json());
});
