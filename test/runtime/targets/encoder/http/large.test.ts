import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { listenHttp } from '#serve/http/listen.ts';
import { openApp, type OpenApp, type OpenAppOptions } from './open-app.ts';

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close.toReversed()) await one();
  close = [];
});
async function start(options: OpenAppOptions = {}): Promise<OpenApp> {
  const open = await openApp('sentiment', options);
  close.push(() => open.close());
  return open;
}

const expectGood = async (open: OpenApp): Promise<void> => {
  const response = await open.post('/predict', { inputs: ['I love this'] });
  expect(await response.json()).toMatchObject({ results: [{ predicted_label: 'POSITIVE' }] });
};

describe('10,000 inputs', () => {
  const inputs = Array.from({ length: 10_000 }, (_, at) => (at % 2 === 0 ? 'I love this' : 'this is awful'));

  test('are rejected by default with a fix', async () => {
    const open = await start();
    const response = await open.post('/predict', { inputs });
    expect([response.status, await response.text()]).toEqual([
      422,
      'Too many inputs: the request has 10000, but the maximum is 2048 (--max-client-batch). Split it into several requests.',
    ]);
    await expectGood(open);
  });

  test('return results in order if that many are allowed', async () => {
    const open = await start({ limits: { maxClientBatch: 10_000 } });
    const response = await open.post('/predict', { inputs });
    const { results } = (await response.json()) as { results: { predicted_index: number }[] };
    expect(results.map(({ predicted_index }) => predicted_index)).toEqual(
      inputs.map((_, at) => (at + 1) % 2),
    );
  });
});

describe('a text of 10 MB', () => {
  test('is rejected by default, even if it fits into the body limit', async () => {
    const open = await start();
    expect((await open.post('/predict', { inputs: ['x'.repeat(10_000_000)] })).status).toBe(413);
    const shorter = await open.post('/predict', { inputs: ['x'.repeat(2_000_000)] });
    expect(shorter.status).toBe(422);
    expect(await shorter.text()).toContain('--max-input-chars');
    await expectGood(open);
  });

  test("is truncated to the model's maximum if longer texts are allowed", async () => {
    const open = await start({ maxBodyBytes: 20_000_000, limits: { maxInputChars: 20_000_000 } });
    const inputs = ['I love this. '.repeat(770_000)];
    const response = await open.post('/predict', { inputs });
    expect(response.headers.get('X-Compute-Tokens')).toBe('128');
    expect(await response.json()).toMatchObject({ results: [{ predicted_label: 'POSITIVE' }] });
  });
});

test('a request stops when its client disconnects', async () => {
  const open = await start();
  const listener = await listenHttp({
    app: open.app,
    hostname: '127.0.0.1',
    port: 0,
    portFlag: '--http-port',
  });
  close.push(() => listener.close(0));
  const inputs = Array.from({ length: 2000 }, (_, at) => `number ${at} `.repeat(30));
  const left = request({
    host: '127.0.0.1',
    port: listener.port,
    path: '/predict',
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
  });
  left.on('error', () => {});
  left.end(JSON.stringify({ inputs }));
  while (open.engine.stats().queued === 0) await new Promise(setImmediate);
  left.destroy();
  const logged = (): Record<string, unknown> | undefined =>
    open.kernel.logged.find(({ path }) => path === '/predict');
  while (!logged()) await new Promise(setImmediate);
  expect(logged()).toMatchObject({ status: 499 });
  expect(open.engine.stats().queued).toBe(0);
  await expectGood(open);
});
