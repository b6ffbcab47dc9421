import { expect, test } from 'vitest';
import { responsesUpstream } from '#gateway/providers/adapters/openai/responses.ts';
import { startFixture } from '../../fixture-provider.ts';
import { callOf, eventsOf, failureOf, providerOf, readStream, REPLY, wholeOf } from '../../test-provider.ts';

const openai = await startFixture('openai');
const provider = providerOf('openai', openai, { dialect: { hasResponses: true } });
const CALLED = { id: 'x', type: 'custom_tool_call', call_id: 'y', input: 'attack', status: 'completed' };
const CUSTOM = { tools: [{ type: 'custom', name: 'shell' }] };

const ask = (more: Readonly<Record<string, unknown>>) =>
  provider.chat(callOf('responses', { model: 'good', input: 'Hello', ...more }));

test.each([{ background: true, store: false }, { background: 'yes' }, { background: {} }])(
  'a background response that could not be billed is rejected (%j)',
  async (more) => {
    const before = (await openai.counts())['requests'];
    expect(failureOf(await ask(more))).toMatchObject({
      kind: 'unsupported',
      error: {
        code: 'MalformedError',
        message: expect.stringMatching(/must be stored|must be true or false/),
      },
    });
    expect((await openai.counts())['requests']).toBe(before);
  },
);

test('a request that refers to state stored by the provider is forwarded unchanged', async () => {
  const more = {
    background: false,
    previous_response_id: 'resp_1',
    prompt: { id: 'pmpt_1' },
    max_tool_calls: 3,
  };
  expect(wholeOf(await ask(more)).text).toBe(REPLY);
  expect(JSON.parse((await openai.last()).body)).toMatchObject(more);
});

test('arguments of custom tools are checked and counted as text', async () => {
  for (const [more, said] of [
    [{}, REPLY],
    [CUSTOM, `shell${REPLY}`],
  ] as const) {
    const { text, summary } = wholeOf(await ask(more));
    expect(text).toBe(said);
    expect(summary.outputLength).toBe(said.length);
    const stream = await readStream(await ask({ ...more, stream: true }));
    expect(stream.summary).toMatchObject({ outcome: 'complete', outputLength: said.length });
    expect(stream.text).toContain('"type":"response.completed"');
  }
});

test("a stream starts with the first chunk of a custom tool's input", async () => {
  const answer = await ask({ ...CUSTOM, model: 'stall', stream: true });
  await openai.happened('waiting', 'stall');
  await openai.release();
  const { text } = await readStream(answer);
  expect(eventsOf(text).at(-1)?.[0]).toBe('response.completed');
});

test.each([
  [
    'a delta of an unknown type',
    { type: 'response.new_thing.delta', output_index: 0, delta: 'attack', obfuscation: 'y' },
  ],
  ['a whole item', { type: 'response.output_item.done', output_index: 0, item: CALLED }],
  ['the last event', { type: 'response.completed', response: { id: 'r', output: [CALLED] } }],
])('%s is decoded even if no earlier event announced it', (_what, event) => {
  const step = responsesUpstream.decoder()(undefined, JSON.stringify(event));
  expect(step).toMatchObject({ chunks: [{ choices: [{ delta: { content: 'attack' } }] }] });
});
