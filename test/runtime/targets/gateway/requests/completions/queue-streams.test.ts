import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { useOwnGateways } from '../../api/use-gateway.ts';
import { startFixture } from '../../fixture-provider.ts';
import { createTestClock } from '../../test-clock.ts';
import { instanceOf } from './running-gateway.ts';

const fixture = await startFixture('openai');
const open = useOwnGateways();
const MODEL = 'openai:gpt-fast';
const messages = [{ role: 'user', content: 'Hi' }];

/** Streams, with the end of a complete one and an error after the headers. */
const STREAMS = [
  [
    '/v1/chat/completions',
    { model: MODEL, stream: true, messages },
    /data: \[DONE\]\n\n$/,
    /rate_limited.*\n\ndata: \[DONE\]\n\n$/,
  ],
  ['/v1/completions', { model: MODEL, stream: true, prompt: 'Hi' }, /data: \[DONE\]\n\n$/, /rate_limited/],
  [
    '/v1/messages',
    { model: MODEL, stream: true, max_tokens: 5, messages },
    /message_stop"\}\n\n$/,
    /event: error\ndata: .*rate_limit_error/,
  ],
  [
    '/v1/responses',
    { model: MODEL, stream: true, input: 'Hi' },
    /response\.completed/,
    /event: error\ndata: .*rate_limited/,
  ],
  [
    `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    /finishReason/,
    /RESOURCE_EXHAUSTED/,
  ],
] as const;

/** A stream that waits for a concurrent request of its user. */
async function wait(path: string, body: object) {
  const provider = openProvider(instanceOf('openai', fixture, { listedAs: 'openai' }), {
    clock: createTestClock(),
    random: () => 0.5,
    onLine: () => undefined,
  });
  const { ask, app, clock, context } = await open({ providers: [provider] });
  const { identity, ledger } = context.state;
  await ask('POST', '/v1/users', { user_id: 'ann', max_parallel: 1, queue_sec: 40 });
  const { key } = (await ask('POST', '/v1/keys', { user_id: 'ann' })).body;
  const spender = await identity.spender({ kind: 'master' }, 'ann');
  const first = await ledger.reserve(spender, { cost: 0n, tokens: 1, free: false });
  let response: Response | undefined;
  const asking = Promise.resolve(
    app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  ).then((one) => (response = one));
  /** Lets time pass, in steps so that the queue can try the request meanwhile. */
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += 1) {
      clock.advance(1000);
      await sleep(5);
    }
  };
  await vi.waitFor(() => expect(ledger.waiting()).toHaveLength(1), { timeout: 60_000 });
  await pass(14);
  expect(response).toBeUndefined();
  await pass(2);
  await expect.poll(() => response).toBeDefined();
  const { status, headers } = await asking;
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  return { text: () => asking.then((one) => one.text()), release: () => ledger.release(first), pass };
}

test.each(STREAMS)(
  '%s begins with comments while it waits, and continues with the response',
  async (path, body, end) => {
    const { text, release } = await wait(path, body);
    const reading = text();
    await release();
    const whole = await reading;
    expect(whole).toMatch(/^: keepalive\n\n/);
    expect(whole).toMatch(end);
  },
);

test.each(STREAMS)(
  '%s ends with an error event when it has waited too long',
  async (path, body, _end, error) => {
    const { text, pass, release } = await wait(path, body);
    const reading = text();
    await pass(30);
    const whole = await reading;
    expect(whole).toMatch(/^: keepalive\n\n/);
    expect(whole).toMatch(error);
    expect(whole).toContain('The request waited 40 s in the queue.');
    await release();
  },
);
