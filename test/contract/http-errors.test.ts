import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { ask, JSON_TYPE, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesServed } from './verifies.ts';

const serve = shareServers();

const PLAIN = 'text/plain; charset=utf-8';
const GOOD = JSON.stringify({ inputs: ['I love this'] });

verifiesServed('http:malformed', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  for (const [body, why] of [
    ['{"inputs":["a"', 'unexpected end of input.'],
    ['', 'it is empty.'],
    ['{"inputs":["a"],}', 'unexpected "}" at line 1, column 17.'],
    ["{'inputs':['a']}", 'unexpected "\'" at line 1, column 2.'],
  ]) {
    expect(await post(`${url}/predict`, body)).toMatchObject({
      status: 400,
      type: PLAIN,
      text: `The body is not valid JSON: ${why}`,
    });
  }
});

verifiesServed('http:media-type', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const send = async (headers: Record<string, string>): Promise<string> => {
    const answer = await ask(`${url}/predict`, { method: 'POST', headers, body: GOOD });
    expect({ status: answer.status, type: answer.type }).toEqual({ status: 415, type: PLAIN });
    return answer.text;
  };
  const needed = 'Send the header `Content-Type: application/json`.';
  expect(await send({})).toBe(`Unsupported content type: found none. ${needed}`);
  expect(await send({ 'content-type': 'text/plain' })).toBe(
    `Unsupported content type: found "text/plain". ${needed}`,
  );
  expect(await send({ ...JSON_TYPE, 'content-encoding': 'compress' })).toBe(
    'Unsupported content encoding "compress". Send the body uncompressed, or use one of gzip, deflate, br, zstd.',
  );
  expect(
    (await post(`${url}/predict`, GOOD, { 'content-type': 'Application/JSON; charset=utf-8' })).status,
  ).toBe(200);
});

verifiesServed('http:too-large', async (arm) => {
  const { url } = await serve(arm, 'sentiment', ['--max-body', '100']);
  const refusal =
    'Body too large: the maximum is 100 bytes. Send a smaller request, or start the server with a larger --max-body.';
  const large = JSON.stringify({ inputs: ['x'.repeat(100)] });
  expect(await post(`${url}/predict`, large)).toMatchObject({ status: 413, type: PLAIN, text: refusal });
  const headers = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
  expect(await ask(`${url}/predict`, { method: 'POST', headers, body: large })).toMatchObject({
    status: 413,
    text: refusal,
  });
  // The request body is never sent.
  const announced = request(`${url}/predict`, {
    method: 'POST',
    headers: { ...JSON_TYPE, 'content-length': '101' },
    agent: false,
  });
  announced.on('error', () => {}).flushHeaders();
  const [answer] = (await once(announced, 'response')) as [IncomingMessage];
  expect([answer.statusCode, await text(answer)]).toEqual([413, refusal]);
  announced.destroy();
  expect((await post(`${url}/predict`, GOOD.padEnd(100))).status).toBe(200);
});

const INVALID: readonly [model: string, body: unknown, message: string][] = [
  ['sentiment', [], 'the body must be an object, not a list'],
  ['sentiment', {}, 'inputs is missing'],
  ['sentiment', { inputs: [] }, 'Cannot tokenize empty string'],
  ['sentiment', { inputs: ['a', ''] }, 'Cannot tokenize empty string'],
  ['embedder', { inputs: 'a', normalize: true }, 'inputs must be a list of texts, not "a"'],
  ['sentiment', { inputs: [1] }, 'inputs/0 must be text or a pair of texts, not 1'],
  ['sentiment', { inputs: [['a']] }, 'inputs/0 must have at least 2 elements'],
  ['sentiment', { inputs: ['a'], metadata: { k: 1 } }, 'metadata/k must be text, not 1'],
  ['sentiment', { inputs: ['a'], metdata: {} }, 'unknown key "metdata" (did you mean metadata?)'],
  ['sentiment', { inputs: ['a'], top_k: 0 }, 'top_k must be at least 1, not 0'],
  [
    'ner',
    { inputs: ['a'], aggregation: 'all' },
    'aggregation must be one of none, simple, first, average, max, not "all"',
  ],
  ['embedder', { inputs: ['a'] }, 'normalize is missing'],
  ['embedder', { inputs: ['a'], normalize: 'yes' }, 'normalize must be true or false, not "yes"'],
];

/** Requests without a text, on all routes that tokenize. */
const EMPTY: readonly [path: string, body: object][] = [
  ...['/tokenize', '/embed', '/embed_all', '/'].flatMap((path): [string, object][] => [
    [path, { inputs: [] }],
    [path, { inputs: [''] }],
    [path, { inputs: '' }],
  ]),
  ['/v1/embeddings', { input: [] }],
  ['/v1/embeddings', { input: '' }],
  ['/similarity', { inputs: { source_sentence: '', sentences: ['a'] } }],
];

verifiesServed('http:invalid', async (arm) => {
  for (const [model, body, message] of INVALID) {
    const { url } = await serve(arm, model);
    expect(await post(`${url}/predict`, body)).toMatchObject({ status: 422, type: PLAIN, text: message });
  }
  const { url } = await serve(arm, 'sentiment');
  expect(await post(`${url}/predict`, { inputs: ['x'.repeat(200_001)] })).toMatchObject({
    status: 422,
    text: 'Input 0 is too long: it has 200001 characters, but the maximum is 200000 (--max-input-chars). Split it into shorter inputs.',
  });
  expect(await post(`${url}/predict`, { inputs: Array.from({ length: 2049 }, () => 'a') })).toMatchObject({
    status: 422,
    text: 'Too many inputs: the request has 2049, but the maximum is 2048 (--max-client-batch). Split it into several requests.',
  });
  const embedder = await serve(arm, 'embedder');
  for (const [path, body] of EMPTY) {
    const { status, text } = await post(embedder.url + path, body);
    expect([path, status, text]).toEqual([
      path,
      422,
      expect.stringContaining('Cannot tokenize empty string'),
    ]);
  }
  const strict = await serve(arm, 'sentiment', ['--on-overflow', 'error']);
  expect(await post(`${strict.url}/predict`, { inputs: ['a', 'word '.repeat(500)] })).toMatchObject({
    status: 422,
    text: "Input 1 is too long: it has more than 128 tokens, this model's maximum. Shorten it, or start the server with --on-overflow truncate.",
  });
});

verifiesServed('http:deep', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const deep = `{"inputs":${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}}`;
  expect(await post(`${url}/predict`, deep)).toMatchObject({
    status: 422,
    type: PLAIN,
    text: 'The body exceeds the maximum nesting depth of 64 lists and objects.',
  });
  expect((await post(`${url}/predict`, GOOD)).status).toBe(200);
});

verifiesServed('http:unauthorized', async (arm) => {
  const { url } = await serve(arm, 'embedder', ['--api-key', 'first,second']);
  const noKey = 'Missing API key. Send the header `Authorization: Bearer <key>`.';
  const unknownKey = 'Invalid API key.';
  for (const [authorization, text] of [
    [undefined, noKey],
    ['Basic Zmlyc3Q=', noKey],
    ['Bearer third', unknownKey],
    ['Bearer first,second', unknownKey],
  ] as const) {
    const answer = await ask(`${url}/model`, { headers: authorization ? { authorization } : {} });
    expect(answer).toMatchObject({ status: 401, type: PLAIN, text });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  }
  for (const path of ['/metrics', '/openapi.json', '/v1/models', '/mcp', '/nowhere'])
    expect((await ask(url + path)).status, path).toBe(401);
  for (const path of ['/', '/docs', '/health', '/healthz', '/readyz'])
    expect((await ask(url + path)).status, path).toBe(200);
  const openAi = await post(`${url}/v1/embeddings`, { input: 'a' });
  expect(openAi).toMatchObject({ status: 401, type: 'application/json' });
  expect(JSON.parse(openAi.text)).toEqual({
    error: { message: noKey, type: 'authentication_error', param: null, code: 'invalid_api_key' },
  });
  const headers = { authorization: 'bearer second' };
  expect((await ask(`${url}/model`, { headers })).status).toBe(200);
});
