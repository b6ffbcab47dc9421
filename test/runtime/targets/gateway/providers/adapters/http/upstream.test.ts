import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { PROVIDER_LIMITS } from '#gateway/providers/adapters/provider.ts';
import { createUpstream, createWaiter } from '#gateway/providers/adapters/upstream.ts';
import { startFixture } from '../../../fixture-provider.ts';
import { chatBody } from '../../../test-provider.ts';

const openai = await startFixture('openai');
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function upstreamOf(maxConnections: number) {
  const limits = { ...PROVIDER_LIMITS, maxConnections };
  const upstream = createUpstream({
    name: 'openai',
    baseUrl: `${openai.url}/v1`,
    local: true,
    headers: {},
    limits,
  });
  const ask = (model: string, bytes: Buffer = Buffer.from(JSON.stringify(chatBody(model)))) => {
    const waiter = createWaiter();
    const answer = upstream.request({ method: 'POST', path: '/chat/completions', body: bytes, waiter });
    return { answer, waiter };
  };
  return { ask, close: () => upstream.close() };
}

/** Resolves with the body, if it is still referenced. */
async function leaveAtOnce(ask: ReturnType<typeof upstreamOf>['ask']): Promise<WeakRef<Buffer>> {
  const body = Buffer.alloc(1_000_000, ' ');
  const { answer, waiter } = ask('good@leaving', body);
  waiter.cancel();
  await expect(answer).rejects.toThrow('aborted');
  return new WeakRef(body);
}

test('a client that disconnects while all connections are busy leaves no request behind, and other requests proceed', async () => {
  // Given
  const { ask, close } = upstreamOf(1);
  const first = ask('silent@first');
  await openai.happened('waiting', 'silent@first');
  // When
  const kept = await leaveAtOnce(ask);
  const next = ask('good@next');
  // Then
  await expect.poll(() => (collectGarbage(), kept.deref() === undefined)).toBe(true);
  await openai.release();
  expect((await (await first.answer).body.collect(100_000)).length).toBeGreaterThan(0);
  expect((await next.answer).status).toBe(200);
  await close();
});

test('a connection is available again after its response was aborted, rejected or completed', async () => {
  const { ask, close } = upstreamOf(1);
  const left = ask('silent@left');
  await openai.happened('waiting', 'silent@left');
  left.waiter.cancel();
  await expect(left.answer).rejects.toThrow('aborted');
  const refused = await ask('fails-500').answer;
  expect(refused.status).toBe(500);
  refused.body.destroy();
  const whole = await ask('good').answer;
  expect((await whole.body.collect(100_000)).length).toBeGreaterThan(0);
  await close();
});
