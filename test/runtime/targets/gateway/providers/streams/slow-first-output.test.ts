import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type FixtureProvider, startFixture } from '../../fixture-provider.ts';
import { manualClock } from '../../manual-clock.ts';
import { callOf, chatBody, failureOf, providerOf } from '../../test-provider.ts';

const openai = await startFixture('openai');
const streaming = (model: string) => chatBody(model, { stream: true });

test('after the headers, the first output can take as long as a complete response', async () => {
  for (const isAnthropic of [true, false]) {
    // Anthropic sends its first events immediately, the other provider only headers; there is no other target.
    const clock = manualClock();
    const limits = { firstByteMs: 5000, idleMs: 10_000, answerMs: 60_000 };
    const fixture = isAnthropic ? await startScriptedSlow() : openai;
    const provider = providerOf(isAnthropic ? 'anthropic' : 'openai', fixture, { clock, limits });
    const body = isAnthropic
      ? { model: 'slow', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'Hello' }] }
      : streaming('stall-first@heard');
    const wire = isAnthropic ? 'messages' : 'chat';
    const answer = provider.chat(callOf(wire, body, { hasFallback: isAnthropic }));
    await clock.nextIn(60_000);
    clock.advance(59_999);
    clock.advance(1);
    expect(failureOf(await answer)).toMatchObject({ kind: 'timeout' });
  }
});

/** A provider that starts with events without output and is silent afterwards. */
async function startScriptedSlow(): Promise<FixtureProvider> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: ping\ndata: {"type":"ping"}\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { ...openai, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
