import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { appAround, openApp, type OpenApp } from './open-app.ts';
import { answeringEngine } from './answering-engine.ts';

let opened: OpenApp | undefined;
const open = (): OpenApp => opened ?? expect.unreachable();
beforeAll(async () => {
  opened = await openApp('embedder', { apiKeys: ['key'], limits: { maxQueue: 1, maxInputChars: 1000 } });
});
afterAll(() => opened?.close());

const KEY = { Authorization: 'Bearer key' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const ROUTES = ['/predict', '/tokenize', '/decode', '/v1/embeddings'];
const GOOD: Record<string, unknown> = {
  '/predict': { inputs: ['I love this'], normalize: true },
  '/tokenize': { inputs: ['I love this'] },
  '/decode': { ids: [5] },
  '/v1/embeddings': { input: 'I love this' },
};

/** Status and message of a response; under /v1, the message is in JSON. */
async function outcome(path: string, init: RequestInit): Promise<[number, string]> {
  const response = await open().app.request(path, { method: 'POST', ...init });
  expect(response.headers.get('X-Request-Id')).not.toBe(null);
  if (response.ok) return [response.status, ''];
  const isOpenAi = path.startsWith('/v1');
  expect(response.headers.get('Content-Type')).toBe(
    isOpenAi ? 'application/json' : 'text/plain; charset=utf-8',
  );
  if (!isOpenAi) return [response.status, await response.text()];
  const { error } = (await response.json()) as { error: { message: string } };
  return [response.status, error.message];
}
const headers = { ...KEY, ...JSON_TYPE };

describe.each(ROUTES)('POST %s', (path) => {
  const good = JSON.stringify(GOOD[path]);

  test('200 for a valid request', async () => {
    expect(await outcome(path, { headers, body: good })).toEqual([200, '']);
  });

  test('400 for malformed JSON', async () => {
    expect(await outcome(path, { headers, body: `${good},` })).toEqual([
      400,
      `The body is not valid JSON: unexpected "," at line 1, column ${good.length + 1}.`,
    ]);
  });

  test('401 without a key', async () => {
    expect((await outcome(path, { headers: JSON_TYPE, body: good }))[0]).toBe(401);
    const wrong = { ...JSON_TYPE, Authorization: 'Bearer other' };
    expect(await outcome(path, { headers: wrong, body: good })).toEqual([401, 'Invalid API key.']);
  });

  test('405 for another method', async () => {
    expect(await outcome(path, { method: 'GET', headers })).toEqual([
      405,
      `Method not allowed: GET ${path}. Allowed methods: POST.`,
    ]);
  });

  test('413 for a body that is too large', async () => {
    const body = `{"x":"${'x'.repeat(8_000_000)}"}`;
    expect((await outcome(path, { headers, body }))[0]).toBe(413);
  });

  test('415 for another content type', async () => {
    expect((await outcome(path, { headers: KEY, body: good }))[0]).toBe(415);
  });

  test('422 for an invalid body', async () => {
    expect((await outcome(path, { headers, body: '{}' }))[0]).toBe(422);
  });

  test('503 while the server is starting or shutting down', async () => {
    const ending = appAround(open().engine);
    await ending.kernel.lifecycle.drain();
    const response = await ending.post(path, GOOD[path]);
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.text()).toContain('The server is shutting down.');
  });
});

test("422 with the engine's message", async () => {
  const message =
    'Input 0 is too long: it has 1001 characters, but the maximum is 1000 (--max-input-chars). Split it into shorter inputs.';
  const long = 'x'.repeat(1001);
  const predict = JSON.stringify({ inputs: [long], normalize: true });
  expect(await outcome('/predict', { headers, body: predict })).toEqual([422, message]);
  expect(await outcome('/v1/embeddings', { headers, body: JSON.stringify({ input: long }) })).toEqual([
    422,
    message,
  ]);
});

test('429 with Retry-After when the queue is full', async () => {
  const large = JSON.stringify({
    inputs: Array.from({ length: 500 }, (_, at) => `text ${at}`),
    normalize: true,
  });
  const send = (path: string, body: string): Promise<Response> =>
    Promise.resolve(open().app.request(path, { method: 'POST', headers, body }));
  const busy = send('/predict', large);
  const refused = await send('/predict', large);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('Retry-After')).toBe('1');
  expect(await refused.text()).toMatch(/^The model is overloaded: .*\(--max-queue\)/);
  const openAi = await send('/v1/embeddings', JSON.stringify(GOOD['/v1/embeddings']));
  expect(await openAi.json()).toMatchObject({
    error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  });
  expect((await busy).status).toBe(200);
});

test('500 with the message of an expected error, and a generic message for any other error', async () => {
  const fails = (error: Error): OpenApp =>
    appAround(
      answeringEngine({}, () => {
        throw error;
      }),
    );
  const known = await fails(new AppError('InternalError', 'Error running model')).post('/predict', {
    inputs: ['a'],
  });
  expect([known.status, await known.text()]).toEqual([500, 'Error running model']);
  const unforeseen = await fails(new TypeError('secret')).post('/predict', { inputs: ['a'] });
  expect([unforeseen.status, await unforeseen.text()]).toEqual([500, 'Internal error']);
});

test('401 without a key for all paths except health checks and pages', async () => {
  const statusOf = async (path: string, init?: RequestInit): Promise<number> =>
    (await open().app.request(path, init)).status;
  for (const path of ['/health', '/healthz', '/readyz', '/', '/docs'])
    expect(await statusOf(path), path).toBe(200);
  for (const path of ['/model', '/openapi.json', '/metrics', '/v1/models', '/nothing']) {
    expect(await statusOf(path), path).toBe(401);
  }
  expect(await statusOf('/model', { headers: KEY })).toBe(200);
});
