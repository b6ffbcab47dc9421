import { expect, test } from 'vitest';
import { failure } from '#gateway/providers/adapters/failure.ts';
import type { ChatAnswer, Provider } from '#gateway/providers/adapters/provider.ts';
import { startScripted } from '../scripted-provider.ts';
import { providerOf } from '../test-provider.ts';
import { openGateway } from './open-gateway.ts';

const scripted = await startScripted();

/** A gateway whose provider does not respond yet, and the stream of a waiting client. */
async function wait(path: string) {
  const waiting = Promise.withResolvers<ChatAnswer>();
  const called = Promise.withResolvers<Parameters<Provider['chat']>[0]>();
  const provider = providerOf('openai', scripted.provider);
  const slow: Provider = {
    ...provider,
    chat(call) {
      called.resolve(call);
      return waiting.promise;
    },
  };
  const gateway = await openGateway({ providers: [slow] });
  const { body } = await gateway.ask('POST', '/v1/keys', { user_id: 'ann' });
  const messages = [{ role: 'user', content: 'Hello' }];
  const client = new AbortController();
  const asking = gateway.app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${body.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai:slow', max_tokens: 9, stream: true, messages, input: 'Hello' }),
    signal: client.signal,
  });
  const call = await called.promise;
  return { gateway, waiting, call, asking, client, chat: () => provider.chat({ ...call, model: 'x' }) };
}

test('a client waiting for a stream gets headers and a comment before the response', async () => {
  const { gateway, waiting, asking, chat } = await wait('/v1/chat/completions');
  gateway.clock.advance(15_000);
  const response = await asking;
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const delta = { choices: [{ index: 0, delta: { content: 'late' }, finish_reason: 'stop' }] };
  scripted.says([delta, '[DONE]']);
  waiting.resolve(await chat());
  const text = await response.text();
  expect(text).toMatch(/^: keepalive\n\ndata: \{.*late/);
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  const { body: usage } = await gateway.ask('GET', '/v1/usage');
  expect(usage.totals).toMatchObject({ requests: 1, errors: 0 });
  expect(gateway.held()).toBe(0);
  await gateway.close();
});

test.each([
  [
    '/v1/chat/completions',
    /^: keepalive\n\ndata: \{"error":\{"message":"The provider is overloaded. Retry later","type":"server_error","param":null,"code":"provider_overloaded"\}\}\n\ndata: \[DONE\]\n\n$/,
  ],
  [
    '/v1/messages',
    /^: keepalive\n\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error",/,
  ],
  ['/v1/responses', /^: keepalive\n\nevent: error\ndata: \{"type":"error","code":"provider_overloaded",/],
])('%s: an error after the headers is sent as an event', async (path, expected) => {
  const { gateway, waiting, asking } = await wait(path);
  gateway.clock.advance(15_000);
  const response = await asking;
  waiting.resolve(failure('overloaded'));
  expect(await response.text()).toMatch(expected);
  const { body: usage } = await gateway.ask('GET', '/v1/usage');
  expect(usage.logs).toMatchObject([{ status: 'error', status_code: 503 }]);
  expect(gateway.held()).toBe(0);
  await gateway.close();
});

test('an error before the headers has its own status, and the call is canceled if the client disconnects while waiting', async () => {
  const early = await wait('/v1/chat/completions');
  early.gateway.clock.advance(14_999);
  early.waiting.resolve(failure('overloaded'));
  expect((await early.asking).status).toBe(503);
  await early.gateway.close();

  const { gateway, waiting, call, asking } = await wait('/v1/chat/completions');
  gateway.clock.advance(15_000);
  const reader = (await asking).body?.getReader();
  await reader?.read();
  const cancelled = reader?.cancel();
  await expect.poll(() => call.signal.aborted).toBe(true);
  waiting.resolve(failure('cancelled'));
  await cancelled;
  await expect.poll(gateway.held).toBe(0);
  await gateway.close();
});
