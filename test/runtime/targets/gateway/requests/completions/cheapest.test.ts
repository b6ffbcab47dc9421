import { afterAll, expect, test } from 'vitest';
import { startThree, TYPES } from '../../three-providers.ts';
import { CHAT } from './fixture-gateway.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

const { fixtures } = await startThree();
const gateway = await runGateway({
  models: {
    providers: TYPES.map((type) => instanceOf(type, fixtures[type])),
    aliases: [
      {
        name: 'any',
        strategy: 'cheapest',
        targets: [
          { model: 'gemini:good' },
          { model: 'openai:good' },
          { model: 'anthropic:good', weight: 0.001 },
          { model: 'openai:free', weight: 0 },
        ],
      },
    ],
    pricing: [priced('openai:good', 1, 100), priced('anthropic:good', 100, 1), priced('openai:free', 0, 0)],
    allowUnpriced: true,
    routing: { retry: { retries: 0, baseDelay: 1, maxDelay: 1, maxPause: 1 } },
  },
});
afterAll(() => gateway.stop());

test('the target that is cheapest for the given prompt and maximum output is chosen', async () => {
  await gateway.user('ann');
  const secret = await gateway.key({ user_id: 'ann' });
  const ask = async (content: string, max: number): Promise<unknown> => {
    const body = { model: 'any', messages: [{ role: 'user', content }], max_tokens: max };
    expect((await gateway.post(CHAT, body, secret)).status).toBe(200);
    return (await gateway.usage('ann')).at(-1)?.model;
  };
  for (let time = 0; time < 3; time += 1) {
    expect(await ask('word '.repeat(2000), 1)).toBe('openai:good');
    expect(await ask('Hello', 1000)).toBe('anthropic:good');
  }
});
