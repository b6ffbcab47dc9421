import { expect, test, vi } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { StreamSummary } from '#gateway/providers/streams/stream.ts';
import { readablePieces } from '#serve/http/fetch-exchange.ts';
import { startFixture } from '../../fixture-provider.ts';
import { manualClock } from '../../manual-clock.ts';
import { callOf, chatBody, providerOf, streamOf } from '../../test-provider.ts';

const openai = await startFixture('openai');
const STREAM_MS = 4000;
/** After a cut, a client has this long to request the next chunk. */
const UNREAD_MS = 2000;

/** A stream from which the client has read one chunk. */
async function begun(model: string, accounts?: Promise<void>) {
  const clock = manualClock();
  const request = new AbortController();
  const settled = Promise.withResolvers<StreamSummary>();
  const provider = providerOf('openai', openai, { clock, limits: { streamMs: STREAM_MS, idleMs: 1000 } });
  const body = chatBody(model, { stream: true });
  const answer = await provider.chat(callOf('chat', body, { signal: request.signal }));
  const events = streamOf(answer).forward({
    clock,
    async settle(summary) {
      settled.resolve(summary);
      await accounts;
    },
  });
  await events.next();
  return { clock, request, settled: settled.promise, events };
}

const shutdown = new AppError('UnavailableError', 'The gateway is shutting down.');

test.each(['its time', 'the gateway'])(
  'a stream cut off by %s is settled even if the client stops reading',
  async (by) => {
    const { clock, request, settled, events } = await begun('long');
    if (by === 'its time') clock.advance(STREAM_MS);
    else request.abort(shutdown);
    await clock.nextIn(UNREAD_MS);
    clock.advance(UNREAD_MS);
    await events.unread;
    expect(await settled).toMatchObject({
      outcome: 'incomplete',
      error: by === 'its time' ? { message: 'The response took longer than 4 s.' } : shutdown,
    });
    await events.ended;
    expect((await openai.happened('closed', 'long')).complete).toBe(false);
  },
);

test('a client that keeps reading receives the end of a stream that was cut off, regardless of how long settlement takes', async () => {
  // Given
  const accounts = Promise.withResolvers<void>();
  const { clock, settled, events } = await begun('stall@read', accounts.promise);
  const unread = vi.fn<() => void>();
  void events.unread.then(unread);
  clock.advance(STREAM_MS);
  await clock.nextIn(UNREAD_MS);
  // When
  const asked = events.next();
  clock.advance(UNREAD_MS);
  await settled;
  clock.advance(UNREAD_MS);
  accounts.resolve();
  let text = '';
  for (let piece = await asked; !piece.done; piece = await events.next()) {
    text += Buffer.from(piece.value).toString();
    await clock.nextIn(UNREAD_MS);
    clock.advance(UNREAD_MS - 1);
  }
  clock.advance(UNREAD_MS);
  await events.ended;
  // Then
  expect(text).toContain('longer than 4 s');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(unread).not.toHaveBeenCalled();
});

test("a silent provider's stream is settled before the client reads the error, and its connection is closed after the timeout", async () => {
  const { clock, settled, events } = await begun('stall@idle');
  await openai.happened('waiting', 'stall@idle');
  // Received chunks are read until the stream waits for more; the error is the last one that the client reads.
  const error = (async () => {
    for (;;) {
      const { value } = await events.next();
      if (value === undefined || Buffer.from(value).includes('nothing for 1 s')) return;
    }
  })();
  await clock.nextIn(1000);
  clock.advance(1000);
  await error;
  expect(await settled).toMatchObject({ outcome: 'incomplete' });
  clock.advance(STREAM_MS);
  await clock.nextIn(UNREAD_MS);
  clock.advance(UNREAD_MS);
  await Promise.all([events.unread, events.ended]);
});

test('if the client stops reading, the body ends with an error instead of appearing complete', async () => {
  const { clock, events, settled } = await begun('long@body');
  const reader = readablePieces(events, { text: '', milliseconds: 600_000 }, clock).getReader();
  await reader.read();
  clock.advance(STREAM_MS);
  await clock.nextIn(UNREAD_MS);
  clock.advance(UNREAD_MS);
  expect((await settled).outcome).toBe('incomplete');
  await expect(reader.read()).rejects.toThrow('The client stopped reading the response.');
});
