import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { startFixture } from '../../fixture-provider.ts';
import { chatBody, eventsOf } from '../../test-provider.ts';
import { USAGE } from '../../three-providers.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

const openai = await startFixture('openai');
const folder = useTempFolder();
const PATIENCE_MS = 1000;
const CHAT = '/v1/chat/completions';
const PRICING = ['stall', 'silent', 'silent@left'].map((model) => priced(`openai:${model}`, 10, 30));
const REASON = 'The gateway is shutting down and could not wait for this response to complete.';

afterAll(async () => await openai.release());

async function start(shutdownMs = PATIENCE_MS) {
  const database = parseDatabaseUrl(`sqlite:${join(folder(), 'gateway.db')}`);
  const gateway = await runGateway({
    models: { providers: [instanceOf('openai', openai)], pricing: PRICING },
    config: { database },
    server: { shutdownMs },
  });
  const secret = await gateway.key({ user_id: 'ada' });
  /** The duration of the shutdown, and the usage rows afterwards. */
  const stopped = async () => {
    const from = performance.now();
    await gateway.stop();
    const tookMs = performance.now() - from;
    const store = await openStore(database, { autoMigrate: false });
    const rows = await store.db.selectFrom('gateway_usage').selectAll().execute();
    await store.close();
    return { tookMs, rows };
  };
  return { gateway, secret, stopped };
}

test('a stream that exceeds the shutdown timeout receives an error, and the gateway exits in time', async () => {
  // Given
  const { gateway, secret, stopped } = await start();
  const answer = await gateway.post(CHAT, chatBody('openai:stall', { stream: true }), secret);
  await openai.happened('waiting', 'stall');
  // When
  const [text, { tookMs, rows }] = await Promise.all([answer.text(), stopped()]);
  // Then
  const [error, done] = eventsOf(text).slice(-2);
  expect(JSON.parse(error?.[1] ?? '')).toMatchObject({ error: { message: REASON, code: 'shutting_down' } });
  expect(done?.[1]).toBe('[DONE]');
  expect(tookMs).toBeLessThan(PATIENCE_MS + 10_000);
  expect(rows).toMatchObject([
    { model: 'openai:stall', status: 'error', status_code: 503, error_message: REASON, estimated: 1 },
  ]);
  expect(rows[0]?.completion_tokens).toBeGreaterThan(0);
});

test.each([
  ['directly', {}],
  [
    'by the app',
    { accept: 'application/json, text/event-stream', 'accept-encoding': 'identity', origin: '' },
  ],
])('a pending request that is handled %s gets 503 at the shutdown timeout', async (_how, headers) => {
  const { gateway, secret, stopped } = await start();
  const asked = gateway.post(CHAT, chatBody('openai:silent'), secret, { headers });
  await openai.happened('waiting', 'silent');
  const [answer, { tookMs, rows }] = await Promise.all([asked, stopped()]);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ detail: REASON, error: { code: 'shutting_down' } });
  expect(tookMs).toBeLessThan(PATIENCE_MS + 10_000);
  expect(rows).toMatchObject([{ status: 'error', status_code: 503, error_message: REASON, estimated: 1 }]);
  // The provider did process it.
  expect(rows[0]?.cost_nano).toBe(9n * 10_000n + 1024n * 30_000n);
});

test.each([true, false])(
  'a request whose client disconnected is recorded before the gateway exits (response arrives in time: %s)',
  async (comesInTime) => {
    const { gateway, secret, stopped } = await start(comesInTime ? 60_000 : PATIENCE_MS);
    const client = new AbortController();
    const asked = gateway.post(CHAT, chatBody('openai:silent@left', { max_tokens: 50 }), secret, {
      signal: client.signal,
    });
    await openai.happened('waiting', 'silent@left');
    client.abort();
    await expect(asked).rejects.toThrow('aborted');
    await expect.poll(() => gateway.logged.join('')).toContain('"status":499');
    const stopping = stopped();
    if (comesInTime) await openai.release();
    const { tookMs, rows } = await stopping;
    expect(tookMs).toBeLessThan(PATIENCE_MS + 10_000);
    const { promptTokens, completionTokens } = USAGE.openai;
    expect(rows).toMatchObject([
      comesInTime
        ? { status_code: 499, estimated: 0, completion_tokens: completionTokens, prompt_tokens: promptTokens }
        : { status_code: 499, estimated: 1, completion_tokens: 50, cost_nano: 1_590_000n },
    ]);
  },
);
