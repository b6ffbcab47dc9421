import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createRouter } from '#gateway/requests/routing/router.ts';
import { systemClock } from '#platform/clock.ts';
import { RECORDED } from '../../recorded-answers.ts';
import { startScripted } from '../../scripted-provider.ts';
import { callOf, chatBody, failureOf, providerOf, readStream, wholeOf } from '../../test-provider.ts';

const scripted = await startScripted();
const provider = providerOf('openai', scripted.provider);
const { whole, events } = RECORDED.openai;
const ask = (more: object = {}) => provider.chat(callOf('chat', chatBody('m', { ...more })));

scripted.says(whole);
const expected = wholeOf(await ask());
scripted.says(events);
const streamed = await readStream(await ask({ stream: true }));

const CODINGS: readonly [string, (bytes: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['identity', (bytes) => bytes],
  ['GZIP, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
];

test.each(CODINGS)('%s responses are decoded, buffered and streamed', async (coding, encode) => {
  scripted.encodes(coding, encode);
  scripted.says(whole);
  const answer = wholeOf(await ask());
  expect(answer.text).toBe(expected.text);
  expect(answer.summary).toEqual(expected.summary);
  scripted.says(events);
  const { text, summary } = await readStream(await ask({ stream: true }));
  expect(text).toBe(streamed.text);
  expect(summary).toMatchObject({ outcome: 'complete', usage: streamed.summary.usage });
});

test.each([
  ['gzip', (bytes: Buffer) => bytes],
  ['br', (bytes: Buffer) => brotliCompressSync(bytes).subarray(0, 20)],
  ['lzw', (bytes: Buffer) => bytes],
  ['constructor', (bytes: Buffer) => bytes],
] as const)('a response labeled as %s with another encoding is not retried', async (coding, encode) => {
  scripted.encodes(coding, encode);
  scripted.says(whole);
  const before = scripted.asked();
  const router = createRouter({ providers: [provider], clock: systemClock, random: () => 0 });
  const { answer } = await router.chat(router.resolve('openai:m'), callOf('chat', chatBody('m')));
  expect(failureOf(answer)).toMatchObject({ kind: 'provider_error', isPaid: true });
  expect(scripted.asked() - before).toBe(1);
});

test('a response that decompresses beyond the limit is rejected before it is fully decompressed', async () => {
  const small = providerOf('openai', scripted.provider, { limits: { maxResponseBytes: 100_000 } });
  scripted.encodes('gzip', gzipSync);
  scripted.says({ ...(whole as object), padding: ' '.repeat(5_000_000) });
  const answer = await small.chat(callOf('chat', chatBody('m')));
  expect(failureOf(answer)).toMatchObject({ kind: 'answer_too_large' });
});
