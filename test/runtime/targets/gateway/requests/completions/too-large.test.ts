import { afterAll, expect, test } from 'vitest';
import { BREAKER_POLICY } from '#gateway/requests/routing/target-states.ts';
import { startFixture } from '../../fixture-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { CHAT, errorIn } from './fixture-gateway.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

const openai = await startFixture('openai');
const gateway = await runGateway({
  models: {
    providers: [
      instanceOf('openai', openai, { limits: { maxResponseBytes: 100 } }),
      instanceOf('openai', openai, { name: 'usual' }),
    ],
    aliases: [{ name: 'best', targets: [{ model: 'openai:good' }], fallbacks: ['usual:good'] }],
    pricing: [priced('openai:good', 10, 30), priced('usual:good', 1000, 3000)],
  },
});
afterAll(() => gateway.stop());

test('an oversized response is reported, not retried, and billed by estimate', async () => {
  await gateway.user('ann');
  const secret = await gateway.key({ user_id: 'ann' });
  const before = (await openai.counts())['requests'] ?? 0;
  // One more request than would open the breaker, also through an alias.
  const models = [...Array.from({ length: BREAKER_POLICY.failures }, () => 'openai:good'), 'best'];
  for (const model of models) {
    const answer = await gateway.post(CHAT, chatBody(model, { max_tokens: 50 }), secret);
    expect(await errorIn(answer)).toMatchObject({
      status: 502,
      code: 'answer_too_large',
      message:
        "The provider's response exceeds the maximum of 100 bytes. Increase the provider's `max_response_bytes`.",
    });
  }
  expect((await openai.counts())['requests']).toBe(before + models.length);
  const prompt = 9;
  const row = expect.objectContaining({
    model: 'openai:good',
    status: 'error',
    status_code: 502,
    usage_estimated: true,
    prompt_tokens: prompt,
    completion_tokens: 50,
    cost: (prompt * 10 + 50 * 30) / 1e6,
  });
  expect(await gateway.usage('ann')).toEqual(models.map(() => row));
  const user = await gateway.admin('GET', '/v1/users/ann');
  expect(user).toMatchObject({ reserved: 0 });
  expect(user['spend']).toBeCloseTo((models.length * (prompt * 10 + 50 * 30)) / 1e6, 9);
});

test('oversized embeddings are billed by the input that was sent', async () => {
  await gateway.user('bob');
  const secret = await gateway.key({ user_id: 'bob' });
  const answer = await gateway.post('/v1/embeddings', { model: 'openai:good', input: 'Hello' }, secret);
  expect(await errorIn(answer)).toMatchObject({ status: 502, code: 'answer_too_large' });
  expect(await gateway.usage('bob')).toEqual([
    expect.objectContaining({ usage_estimated: true, completion_tokens: 0 }),
  ]);
});
