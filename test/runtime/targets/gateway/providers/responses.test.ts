import { expect, test } from 'vitest';
import { startFixture } from '../fixture-provider.ts';
import { callOf, eventsOf, failureOf, providerOf, readStream, REPLY, wholeOf } from '../test-provider.ts';

const openai = await startFixture('openai');
const provider = providerOf('openai', openai, { dialect: { hasResponses: true } });
const CUSTOM = { tools: [{ type: 'custom', name: 'shell' }] };

const ask = (more: Readonly<Record<string, unknown>>) =>
  provider.chat(callOf('responses', { model: 'good', input: 'Hello', ...more }));

test.each([true, 'yes', {}])(
  'an answer in the background is refused: nobody would pay for it (%j)',
  async (background) => {
    const before = (await openai.counts())['requests'];
    expect(failureOf(await ask({ background }))).toMatchObject({
      kind: 'unsupported',
      error: {
        code: 'MalformedError',
        message: expect.stringContaining('The gateway cannot do `background`'),
      },
    });
    expect((await openai.counts())['requests']).toBe(before);
  },
);

test('what the provider itself remembers and tells the usage of goes on to it', async () => {
  const more = {
    background: false,
    previous_response_id: 'resp_1',
    prompt: { id: 'pmpt_1' },
    max_tool_calls: 3,
  };
  expect(wholeOf(await ask(more)).text).toBe(REPLY);
  expect(JSON.parse((await openai.last()).body)).toMatchObject(more);
});
