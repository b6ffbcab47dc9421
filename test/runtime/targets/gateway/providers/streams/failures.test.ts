import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { systemClock } from '#platform/clock.ts';
import type { StreamSummary } from '#gateway/providers/streams/stream.ts';
import { type FixtureWire, startFixture } from '../../fixture-provider.ts';
import { manualClock } from '../../manual-clock.ts';
import {
  callOf,
  CANARY,
  chatBody,
  contentOf,
  eventsOf,
  failureOf,
  providerOf,
  readStream,
  REPLY,
  streamOf,
} from '../../test-provider.ts';

const fixtures = {
  openai: await startFixture('openai'),
  anthropic: await startFixture('anthropic'),
  gemini: await startFixture('gemini'),
};
const WIRES: FixtureWire[] = ['openai', 'anthropic', 'gemini'];
const openai = fixtures.openai;

const streaming = (model: string, more: Record<string, unknown> = {}) =>
  chatBody(model, { stream: true, ...more });
const INCOMPLETE = expect.objectContaining({ code: 'upstream_stream_incomplete' });

function endOf(text: string): unknown[] {
  return eventsOf(text)
    .slice(-2)
    .map(([, data]) => (data === '[DONE]' ? data : (JSON.parse(data) as { error?: unknown }).error));
}

test.each(
  WIRES.flatMap((type) =>
    ['cut', 'ends-early', 'malformed-often', 'error-later'].map((model) => [type, model] as const),
  ),
)('%s: a stream interrupted by `%s` ends with an error and [DONE]', async (type, model) => {
  // Given
  const provider = providerOf(type, fixtures[type]);
  // When
  const answer = await provider.chat(callOf('chat', streaming(model)));
  if (model === 'cut') await fixtures[type].happened('waiting', model);
  if (model === 'cut') await fixtures[type].release();
  const { text, summary } = await readStream(answer);
  // Then
  expect(endOf(text)).toEqual([INCOMPLETE, '[DONE]']);
  expect(text).not.toContain('"finish_reason":"');
  expect(text).not.toContain('canary');
  expect(summary).toMatchObject({ outcome: 'incomplete', finishReason: undefined });
  expect(summary.outputLength).toBeGreaterThan(0);
  expect(REPLY.startsWith(contentOf(text))).toBe(true);
});

test.each(WIRES)('%s: a line that is not valid JSON is skipped, and the stream continues', async (type) => {
  const provider = providerOf(type, fixtures[type]);
  const { text, summary } = await readStream(await provider.chat(callOf('chat', streaming('malformed'))));
  expect(contentOf(text)).toBe(REPLY);
  expect(text).not.toContain('nonsense');
  expect(summary).toMatchObject({ outcome: 'complete', finishReason: 'stop' });
});

test.each(WIRES)('%s: a stream without an end marker is complete if all output was sent', async (type) => {
  const provider = providerOf(type, fixtures[type]);
  const { text, summary } = await readStream(await provider.chat(callOf('chat', streaming('no-end'))));
  expect(contentOf(text)).toBe(REPLY);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(summary.outcome).toBe('complete');
});

test.each(['openai', 'anthropic'] as const)('%s: data after the end marker is ignored', async (type) => {
  const provider = providerOf(type, fixtures[type]);
  const { text: plain } = await readStream(await provider.chat(callOf('chat', streaming('good'))));
  const { text, summary } = await readStream(await provider.chat(callOf('chat', streaming('after-end'))));
  expect(summary).toMatchObject({ outcome: 'complete', usage: { promptTokens: expect.any(Number) } });
  expect(contentOf(text)).toBe(contentOf(plain));
  expect(text.match(/\[DONE\]/g)).toHaveLength(1);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test.each(WIRES)(
  '%s: a stream that is split at every byte or uses CRLF has the same output',
  async (type) => {
    const provider = providerOf(type, fixtures[type]);
    const { text: plain } = await readStream(await provider.chat(callOf('chat', streaming('good'))));
    for (const model of ['split', 'crlf']) {
      const { text, summary } = await readStream(await provider.chat(callOf('chat', streaming(model))));
      expect(contentOf(text.replaceAll('\r\n', '\n'))).toBe(contentOf(plain));
      expect(summary).toMatchObject({ outcome: 'complete', usage: { promptTokens: expect.any(Number) } });
    }
  },
);

test.each(
  WIRES.flatMap((type) =>
    ['error-first', 'error-after-preamble', 'ends-at-once'].map((model) => [type, model] as const),
  ),
)('%s: a request to `%s` fails before any output is sent to the client', async (type, model) => {
  const provider = providerOf(type, fixtures[type]);
  const failure = failureOf(await provider.chat(callOf('chat', streaming(model))));
  expect(['provider_error', 'overloaded', 'stream_incomplete']).toContain(failure.kind);
  // Not in the provider's own format.
  expect(failure.error.message).not.toContain('The model is overloaded');
});

test('a slow stream without a complete event is aborted after the idle timeout', async () => {
  // Given
  const clock = manualClock();
  const provider = providerOf('openai', openai, { clock, limits: { idleMs: 1000 } });
  const answer = await provider.chat(callOf('chat', streaming('drip')));
  const reading = readStream(answer, { clock, keepAliveMs: 600_000 });
  await openai.happened('waiting', 'drip');
  // When: part of an event arrives in between
  await clock.nextIn(1000);
  clock.advance(600);
  await openai.release();
  await clock.nextIn(400);
  clock.advance(400);
  // Then
  const { text, summary } = await reading;
  expect(endOf(text)).toEqual([INCOMPLETE, '[DONE]']);
  expect(summary.error?.message).toContain('nothing for 1 s');
  expect((await openai.happened('closed', 'drip')).complete).toBe(false);
});

test('a stream that pauses for less than the idle timeout continues', async () => {
  const clock = manualClock();
  const provider = providerOf('openai', openai, { clock, limits: { idleMs: 1000 } });
  const reading = readStream(await provider.chat(callOf('chat', streaming('stall'))), {
    clock,
    keepAliveMs: 600_000,
  });
  await openai.happened('waiting', 'stall');
  await clock.nextIn(1000);
  clock.advance(999);
  await openai.release();
  expect(contentOf((await reading).text)).toBe(REPLY);
});

test('a provider that sends nothing exceeds the first-byte timeout, and its connection is closed', async () => {
  for (const model of ['silent', 'stall-first']) {
    const clock = manualClock();
    const provider = providerOf('openai', openai, { clock, limits: { firstByteMs: 5000 } });
    // Headers without output also count as silence if another target can respond.
    const answer = provider.chat(callOf('chat', streaming(model), { hasFallback: true }));
    await openai.happened('waiting', model);
    clock.advance(5000);
    expect(failureOf(await answer)).toMatchObject({
      kind: 'timeout',
      error: { code: 'TimeoutError', message: 'LLM provider timeout' },
    });
    expect((await openai.happened('closed', model)).complete).toBe(false);
  }
});

test('comments keep the connection alive while no events arrive', async () => {
  // Given
  const clock = manualClock();
  const provider = providerOf('openai', openai, { clock, limits: { idleMs: 120_000 } });
  const reading = readStream(await provider.chat(callOf('chat', streaming('stall'))), {
    clock,
    keepAliveMs: 15_000,
  });
  await openai.happened('waiting', 'stall');
  // When
  for (let comment = 0; comment < 3; comment += 1) {
    await clock.nextIn(15_000);
    clock.advance(15_000);
  }
  await clock.nextIn(15_000);
  await openai.release();
  // Then
  const { text } = await reading;
  expect(text.match(/^: keepalive$/gm)).toHaveLength(3);
  expect(contentOf(text.replaceAll(': keepalive\n\n', ''))).toBe(REPLY);
});

test('a client that disconnects cancels the provider request and is billed for the received part', async () => {
  // Given
  const provider = providerOf('openai', openai);
  const client = new AbortController();
  const settled = Promise.withResolvers<StreamSummary>();
  const answer = await provider.chat(callOf('chat', streaming('stall@left'), { signal: client.signal }));
  const events = streamOf(answer).forward({
    clock: systemClock,
    settle: async (summary) => settled.resolve(summary),
  });
  await events.next();
  await openai.happened('waiting', 'stall@left');
  // When
  await events.cancel();
  const [summary, closed] = await Promise.all([settled.promise, openai.happened('closed', 'stall@left')]);
  // Then
  expect(closed.complete).toBe(false);
  expect(summary).toMatchObject({ outcome: 'aborted', error: undefined, usage: undefined });
  expect(summary.outputLength).toBeGreaterThan(0);
});

test('a stream cut off by the gateway does not count as a client disconnect, even if the client does not read', async () => {
  // Given
  const provider = providerOf('openai', openai);
  const request = new AbortController();
  const settled = Promise.withResolvers<StreamSummary>();
  const answer = await provider.chat(callOf('chat', streaming('stall@cut'), { signal: request.signal }));
  const events = streamOf(answer).forward({
    clock: systemClock,
    settle: async (summary) => settled.resolve(summary),
  });
  await events.next();
  await openai.happened('waiting', 'stall@cut');
  // When
  const reason = new AppError('UnavailableError', 'The gateway is shutting down.');
  request.abort(reason);
  await events.cancel();
  // Then
  expect(await settled.promise).toMatchObject({ outcome: 'incomplete', error: reason });
});

test('an aborted request cancels the provider request, even before the first byte', async () => {
  const provider = providerOf('openai', openai);
  const client = new AbortController();
  const answer = provider.chat(callOf('chat', streaming('stall-first'), { signal: client.signal }));
  await openai.happened('waiting', 'stall-first');
  client.abort();
  expect(failureOf(await answer).kind).toBe('cancelled');
  expect((await openai.happened('closed', 'stall-first')).complete).toBe(false);
});

test('a slow client slows down the provider', async () => {
  // Given
  const provider = providerOf('openai', openai);
  const before = await openai.counts();
  const answer = await provider.chat(callOf('chat', streaming('long')));
  const events = streamOf(answer).forward({ clock: systemClock, settle: async () => undefined });
  await events.next();
  // When: requested until it cannot write any more
  let written = -1;
  for (let now = 0; now !== written;) {
    written = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
    now = ((await openai.counts())['bytesWritten'] ?? 0) - (before['bytesWritten'] ?? 0);
  }
  // Then: of 80 MB, only what fits into the socket buffers
  expect(written).toBeLessThan(16 * 1024 * 1024);
  await events.cancel();
});

test('usage is settled before the client receives the end', async () => {
  const provider = providerOf('openai', openai);
  const order: string[] = [];
  const answer = await provider.chat(callOf('chat', streaming('good')));
  const events = streamOf(answer).forward({
    clock: systemClock,
    settle: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('settled');
    },
  });
  for (let piece = await events.next(); !piece.done; piece = await events.next()) {
    if (Buffer.from(piece.value).includes('[DONE]')) order.push('done');
  }
  expect(order).toEqual(['settled', 'done']);
});

test('a stream ends with an error if its usage cannot be settled', async () => {
  const provider = providerOf('openai', openai);
  const { text } = await readStream(await provider.chat(callOf('chat', streaming('good'))), {
    settle: () => Promise.reject(new Error(`disk full ${CANARY}`)),
  });
  expect(endOf(text)).toEqual([expect.objectContaining({ code: 'internal_error' }), '[DONE]']);
  expect(text).not.toContain(CANARY);
});

test('an event that exceeds the size limit is rejected', async () => {
  const provider = providerOf('openai', openai, { limits: { maxEventBytes: 1024 * 1024 } });
  expect(failureOf(await provider.chat(callOf('chat', streaming('huge')))).kind).toBe('stream_incomplete');
});
