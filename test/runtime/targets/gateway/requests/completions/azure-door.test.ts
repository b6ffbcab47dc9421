import { AzureOpenAI } from 'openai';
import { afterAll, expect, test } from 'vitest';
import { REPLY } from '../../test-provider.ts';
import { startThree, USAGE } from '../../three-providers.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

const { fixtures } = await startThree();
const gateway = await runGateway({
  models: {
    providers: [instanceOf('openai', fixtures.openai), instanceOf('anthropic', fixtures.anthropic)],
    aliases: [{ name: 'team/mine', targets: [{ model: 'openai:good' }] }],
    pricing: ['openai:good', 'openai:e5', 'openai:draw', 'anthropic:good'].map((model) =>
      priced(model, 10, 30),
    ),
  },
});
afterAll(() => gateway.stop());
await gateway.user('ann');
const apiKey = await gateway.key({ user_id: 'ann', budget: { max_budget: 5 } });
const client = new AzureOpenAI({ endpoint: gateway.url, apiKey, apiVersion: '2024-10-21', maxRetries: 0 });
const messages = [{ role: 'user', content: 'Hello' }] as const;

test.each(['openai:good', 'anthropic:good', 'team/mine'])(
  'Azure OpenAI clients can call %s, buffered and streamed',
  async (model) => {
    const whole = await client.chat.completions.create({ model, messages: [...messages] });
    expect(whole.choices[0]?.message.content).toBe(REPLY);
    const stream = await client.chat.completions.create({ model, messages: [...messages], stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(REPLY);
  },
);

test('Azure OpenAI clients can use embeddings, images, responses and legacy completions, all of which are billed', async () => {
  const before = (await gateway.usage('ann')).length;
  const embedded = await client.embeddings.create({ model: 'openai:e5', input: ['a', 'bc'] });
  expect(embedded.data.map(({ embedding }) => embedding[0])).toEqual([1, 2]);
  const drawn = await client.images.generate({ model: 'openai:draw', prompt: 'A cat' });
  expect(drawn.data).toHaveLength(1);
  const response = await client.responses.create({ model: 'openai:good', input: 'Hello' });
  expect(response.output_text).toBe(REPLY);
  const completed = await client.completions.create({ model: 'openai:good', prompt: 'Hello' });
  expect(completed.choices[0]?.text).toBe(REPLY);
  const rows = (await gateway.usage('ann')).slice(0, -before || undefined);
  expect(rows).toHaveLength(4);
  const { promptTokens, completionTokens } = USAGE.openai;
  const cost = (promptTokens * 10 + completionTokens * 30) / 1e6;
  expect(rows.filter((row) => row.cost === cost)).not.toHaveLength(0);
});

test('encoded model names and undated paths are accepted, and a missing model, an invalid key and an unknown model return errors', async () => {
  const post = async (path: string, body: object, key = apiKey): Promise<Response> =>
    await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const named = await post('/openai/deployments/openai%3Agood/chat/completions?api-version=x', { messages });
  expect(await named.json()).toMatchObject({ choices: [{ message: { content: REPLY } }] });
  const undated = await post('/openai/v1/chat/completions', { model: 'openai:good', messages });
  expect(await undated.json()).toMatchObject({ choices: [{ message: { content: REPLY } }] });
  const missing = await post('/openai/v1/chat/completions', { messages });
  expect([missing.status, await missing.json()]).toMatchObject([422, { error: { param: 'model' } }]);
  const refused = await post('/openai/deployments/openai:good/chat/completions', { messages }, 'gw-wrong');
  expect([refused.status, await refused.json()]).toMatchObject([401, { error: { code: 'invalid_key' } }]);
  const unknown = await post('/openai/deployments/nobody/chat/completions', { messages });
  expect([unknown.status, await unknown.json()]).toMatchObject([400, { error: { code: 'model_not_found' } }]);
});
