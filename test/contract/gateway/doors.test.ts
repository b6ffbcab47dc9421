import { expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { REPLY } from '../../runtime/targets/gateway/test-provider.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const [openai, anthropic] = [await startFixture('openai'), await startFixture('anthropic')];

verifiesGateway('gateway:doors', async (arm) => {
  const api = await start(arm, { config: { providers: providersFor({ openai, anthropic }) } });
  const key = asKey(await createKey(api, { user_id: 'doors' }));
  const prompt = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
  for (const provider of ['openai', 'anthropic']) {
    const answer = await api.post(`/v1beta/models/${provider}:good:generateContent`, prompt, key);
    expect(answer.body.candidates[0]).toMatchObject({
      content: { parts: [{ text: REPLY }] },
      finishReason: 'STOP',
    });
    const completion = { model: `${provider}:good`, prompt: 'Hello', max_tokens: 9 };
    expect((await api.post('/v1/completions', completion, key)).body.choices[0].text).toBe(REPLY);
  }
  const refused = await api.post('/v1beta/models/nobody:good:generateContent', prompt, key);
  expect(refused.body.error).toMatchObject({ code: 400, details: [{ reason: 'model_not_found' }] });
  const counted = await api.post('/v1/messages/count_tokens', chatWith('anthropic:good'), key);
  expect(counted.body).toEqual({ input_tokens: 25 });
  const { body: usage } = await api.get('/v1/users/doors/usage', AS_MASTER);
  expect((usage as { status: string }[]).map(({ status }) => status)).toEqual([
    'success',
    'success',
    'success',
    'success',
  ]);
});
