import type { Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { fastestOf } from '#test/helpers/fastest-of.ts';
import { type FixtureWire, startFixture } from '../../fixture-provider.ts';
import { CANARY, chatBody, contentOf, eventsOf, REPLY } from '../../test-provider.ts';
import { CHAT } from './fixture-gateway.ts';
import { openRawRequest } from './raw-request.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

const [openai, anthropic, gemini] = await Promise.all([
  startFixture('openai'),
  startFixture('anthropic'),
  startFixture('gemini'),
]);
const fixtures = { openai, anthropic, gemini };
const TYPES: FixtureWire[] = ['openai', 'anthropic', 'gemini'];
const gateway = await runGateway({
  models: {
    providers: [
      ...TYPES.map((type) => instanceOf(type, fixtures[type])),
      instanceOf('openai', openai, { name: 'impatient', limits: { idleMs: 200 } }),
      instanceOf('openai', openai, { name: 'brief', limits: { streamMs: 200 } }),
      instanceOf('openai', openai, { name: 'usual' }),
    ],
    pricing: [...TYPES, 'impatient', 'brief'].flatMap((type) =>
      ['cut', 'ends-early', 'stall', 'good', 'stall@left', 'long'].map((model) =>
        priced(`${type}:${model}`, 10, 30),
      ),
    ),
  },
  server: { bodyTimeoutMs: 300 },
});
afterAll(() => gateway.stop());

const streaming = (model: string) => chatBody(model, { stream: true });
let users = 0;
async function someone() {
  const userId = `user-${(users += 1)}`;
  await gateway.user(userId);
  return { userId, secret: await gateway.key({ user_id: userId }) };
}

const rawRequest = (secret: string, body: string, headers?: readonly string[]): Promise<Socket> =>
  openRawRequest(gateway.url, secret, body, headers);

/** Reads until this text has arrived. */
async function readUntil(socket: Socket, wanted: string): Promise<string> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (text.includes(wanted)) break;
  }
  return text;
}

/** The usage rows of a user, once there are any. */
async function settledRows(userId: string) {
  for (;;) {
    const rows = await gateway.usage(userId);
    if (rows.length > 0) return rows;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each(
  TYPES.flatMap((type) =>
    ['cut', 'ends-early', 'malformed-often', 'error-later'].map((model) => [type, model] as const),
  ),
)(
  '%s: a stream interrupted by `%s` ends with an error event, and the sent part is billed',
  async (type, model) => {
    const { userId, secret } = await someone();
    const answer = await gateway.post(CHAT, streaming(`${type}:${model}`), secret);
    if (model === 'cut') {
      await fixtures[type].happened('waiting', 'cut');
      await fixtures[type].release();
    }
    const text = await answer.text();
    const [error, done] = eventsOf(text)
      .map(([, data]) => data)
      .slice(-2);
    expect(done).toBe('[DONE]');
    expect(JSON.parse(error ?? '')).toMatchObject({ error: { code: 'upstream_stream_incomplete' } });
    expect(text).not.toContain(CANARY);
    const [row] = await gateway.usage(userId);
    expect(row).toMatchObject({ status: 'error', status_code: 502 });
    expect(row?.completion_tokens).toBeGreaterThan(0);
  },
);

test('a stream that stalls or takes too long ends with an error event', async () => {
  const { secret } = await someone();
  for (const provider of ['impatient', 'brief']) {
    const text = await (await gateway.post(CHAT, streaming(`${provider}:stall`), secret)).text();
    expect(text).toContain(provider === 'brief' ? 'longer than 0.2 s' : 'nothing for 0.2 s');
    expect(text).toContain('upstream_stream_incomplete');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  }
});

test.each([
  // The event reports that the model is overloaded.
  ['error-first', 503],
  ['error-after-preamble', 503],
  ['ends-at-once', 502],
  ['wrong-type', 502],
  ['huge', 502],
] as const)('a request to `%s` returns an error status and leaves no reservation', async (model, status) => {
  const { userId, secret } = await someone();
  expect((await gateway.post(CHAT, streaming(`openai:${model}`), secret)).status).toBe(status);
  const rows = await settledRows(userId);
  expect(rows.at(-1)).toMatchObject({ status: 'error', cost: null });
  const user = await gateway.admin('GET', `/v1/users/${userId}`);
  expect(user).toMatchObject({ spend: 0, reserved: 0 });
});

test('a client that disconnects cancels the provider request within 100 ms and is billed for the received part', async () => {
  const hangUp = async (): Promise<number> => {
    const { userId, secret } = await someone();
    const socket = await rawRequest(secret, JSON.stringify(streaming('openai:stall@left')));
    await openai.happened('waiting', 'stall@left');
    expect(await readUntil(socket, 'Gr')).toContain('HTTP/1.1 200');
    const left = performance.now();
    socket.destroy();
    const closed = await openai.happened('closed', 'stall@left');
    const took = performance.now() - left;
    expect(closed.complete).toBe(false);
    const [row] = await settledRows(userId);
    expect(row).toMatchObject({ status: 'cancelled', status_code: 499, usage_estimated: true });
    expect(row?.cost).toBeGreaterThan(0);
    return took;
  };
  expect(await fastestOf(hangUp)).toBeLessThan(100);
});

test('a request is not recorded if its body is incomplete, even after a disconnect, or too large', async () => {
  const { userId, secret } = await someone();
  const body = JSON.stringify(chatBody('openai:good'));
  const slow = await rawRequest(secret, body.slice(0, 20), [`Content-Length: ${body.length}`]);
  expect(await readUntil(slow, '\r\n\r\n')).toContain('HTTP/1.1 408');
  slow.destroy();
  const gone = await rawRequest(secret, body.slice(0, 20), [`Content-Length: ${body.length}`]);
  gone.destroy();
  const large = await rawRequest(secret, '', ['Content-Length: 2000000']);
  expect(await readUntil(large, '\r\n\r\n')).toContain('HTTP/1.1 413');
  large.destroy();
  expect(await gateway.usage(userId)).toEqual([]);
});

test('bodies with Expect: 100-continue and chunked bodies are accepted', async () => {
  const { secret } = await someone();
  const body = JSON.stringify(chatBody('openai:good'));
  const expecting = await rawRequest(secret, '', [`Content-Length: ${body.length}`, 'Expect: 100-continue']);
  await readUntil(expecting, '100 Continue');
  expecting.write(body);
  expect(await readUntil(expecting, 'chatcmpl')).toContain('HTTP/1.1 200');
  expecting.destroy();
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const chunked = await rawRequest(secret, chunk, ['Transfer-Encoding: chunked']);
  expect(await readUntil(chunked, 'chatcmpl')).toContain('HTTP/1.1 200');
  chunked.destroy();
});

test('the usage row is written before the client receives the end', async () => {
  const { userId, secret } = await someone();
  const answer = await gateway.post(CHAT, streaming('openai:good'), secret);
  let text = '';
  let rowsAtEnd: number | undefined;
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(piece).toString();
    if (text.includes('[DONE]')) rowsAtEnd ??= (await gateway.usage(userId)).length;
  }
  expect(contentOf(text)).toBe(REPLY);
  expect(rowsAtEnd).toBe(1);
});

test('a client that does not read slows down the provider without using more memory', async () => {
  const { secret } = await someone();
  const before = (await openai.counts())['bytesWritten'] ?? 0;
  const rss = process.memoryUsage.rss();
  const socket = await rawRequest(secret, JSON.stringify(streaming('openai:long')));
  socket.pause();
  let written = -1;
  for (let now = 0; now !== written;) {
    written = now;
    await new Promise((resolve) => setTimeout(resolve, 150));
    now = ((await openai.counts())['bytesWritten'] ?? 0) - before;
  }
  expect(written).toBeLessThan(24 * 1024 * 1024);
  expect(process.memoryUsage.rss() - rss).toBeLessThan(48 * 1024 * 1024);
  socket.destroy();
  expect((await openai.happened('closed', 'long')).complete).toBe(false);
});

test('a thousand idle streams stay open and can all continue', { timeout: 60_000 }, async () => {
  const { userId, secret } = await someone();
  const body = JSON.stringify(streaming('usual:stall@many'));
  const sockets: Socket[] = [];
  for (let held = 0; held < 1000; held += 50) {
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => rawRequest(secret, body)))));
  }
  for (let waiting = 0; waiting < 1000; waiting += 1) await openai.happened('waiting', 'stall@many');
  const ends = sockets.map((socket) => readUntil(socket, '[DONE]'));
  await openai.release();
  const texts = await Promise.all(ends);
  expect(texts.filter((text) => text.includes('"finish_reason":"stop"'))).toHaveLength(1000);
  for (const socket of sockets) socket.destroy();
  expect(await gateway.usage(userId)).toHaveLength(1000);
  expect(await gateway.admin('GET', `/v1/users/${userId}`)).toMatchObject({ reserved: 0 });
});
