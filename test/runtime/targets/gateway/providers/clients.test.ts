import Anthropic from '@anthropic-ai/sdk';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, streamText } from 'ai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { type FixtureWire, startFixture } from '../fixture-provider.ts';
import { forwardingServer } from '../forwarding-server.ts';
import { providerOf, REPLY, TOOL_ARGUMENTS } from '../test-provider.ts';

const TYPES: FixtureWire[] = ['openai', 'anthropic', 'gemini'];
const fixtures = {
  openai: await startFixture('openai'),
  anthropic: await startFixture('anthropic'),
  gemini: await startFixture('gemini'),
};
const base = await forwardingServer(
  Object.fromEntries(TYPES.map((type) => [type, providerOf(type, fixtures[type])])),
);

const openai = (type: FixtureWire) =>
  new OpenAI({ baseURL: `${base}/${type}/v1`, apiKey: 'any', maxRetries: 0 });
const anthropic = (type: FixtureWire) =>
  new Anthropic({ baseURL: `${base}/${type}`, apiKey: 'any', maxRetries: 0 });
const hello = [{ role: 'user' as const, content: 'Hello' }];
const PARAMETERS = { type: 'object' as const, properties: { city: { type: 'string' } } };
const PROMPT_TOKENS = { openai: 21, anthropic: 25, gemini: 17 };

test.each(TYPES)('openai, chat completions, in front of %s', async (type) => {
  const client = openai(type);
  const whole = await client.chat.completions.create({ model: 'good', messages: hello });
  expect(whole.choices[0]?.message.content).toBe(REPLY);
  expect(whole.usage?.prompt_tokens).toBe(PROMPT_TOKENS[type]);

  const runner = client.chat.completions.stream({
    model: 'tools',
    messages: hello,
    tools: [{ type: 'function', function: { name: 'weather', parameters: PARAMETERS } }],
    stream_options: { include_usage: true },
  });
  const final = await runner.finalChatCompletion();
  const call = final.choices[0]?.message.tool_calls?.find((one) => one.type === 'function');
  expect(final.choices[0]?.finish_reason).toBe('tool_calls');
  expect(call?.function.name).toBe('weather');
  expect(JSON.parse(call?.function.arguments ?? '')).toEqual(TOOL_ARGUMENTS);
  expect((await runner.totalUsage()).prompt_tokens).toBe(PROMPT_TOKENS[type]);
});

test.each(TYPES)('openai, responses, in front of %s', async (type) => {
  const client = openai(type);
  const whole = await client.responses.create({ model: 'good', instructions: 'Be brief.', input: 'Hello' });
  expect(whole.output_text).toBe(REPLY);
  expect(whole).toMatchObject({ status: 'completed', usage: { input_tokens: PROMPT_TOKENS[type] } });

  const stream = client.responses.stream({ model: 'good', input: 'Hello' });
  const said: string[] = [];
  stream.on('response.output_text.delta', ({ delta }) => said.push(delta));
  const final = await stream.finalResponse();
  expect(said.join('')).toBe(REPLY);
  expect(final.output_text).toBe(REPLY);

  const tools = [{ type: 'function' as const, name: 'weather', parameters: PARAMETERS, strict: false }];
  const called = await client.responses.stream({ model: 'tools', input: 'Hello', tools }).finalResponse();
  const call = called.output.find((item) => item.type === 'function_call');
  expect(JSON.parse(call?.arguments ?? '')).toEqual(TOOL_ARGUMENTS);
  const answered = await client.responses.create({
    model: 'good',
    input: [
      { role: 'user', content: 'Weather?' },
      {
        type: 'function_call',
        call_id: call?.call_id ?? '',
        name: 'weather',
        arguments: call?.arguments ?? '',
      },
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'rain' },
    ],
  });
  expect(answered.output_text).toContain('rain');
});

test.each(TYPES)('@anthropic-ai/sdk in front of %s', async (type) => {
  const client = anthropic(type);
  const whole = await client.messages.create({
    model: 'good',
    max_tokens: 100,
    system: 'Be brief.',
    messages: hello,
  });
  expect(whole.content).toEqual([expect.objectContaining({ type: 'text', text: REPLY })]);
  expect(whole.stop_reason).toBe('end_turn');
  const {
    input_tokens: fresh,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  } = whole.usage;
  expect(fresh + (read ?? 0) + (written ?? 0)).toBe(PROMPT_TOKENS[type]);

  const said: string[] = [];
  const stream = client.messages.stream({ model: 'good', max_tokens: 100, messages: hello });
  stream.on('text', (text) => said.push(text));
  const final = await stream.finalMessage();
  expect(said.join('')).toBe(REPLY);
  expect(final.usage.output_tokens).toBeGreaterThan(0);

  const tools = [{ name: 'weather', input_schema: PARAMETERS }];
  const called = await client.messages
    .stream({ model: 'tools', max_tokens: 100, messages: hello, tools })
    .finalMessage();
  const call = called.content.find((block) => block.type === 'tool_use');
  expect(called.stop_reason).toBe('tool_use');
  expect(call).toMatchObject({ name: 'weather', input: TOOL_ARGUMENTS });
  const answered = await client.messages.create({
    model: 'good',
    max_tokens: 100,
    messages: [
      ...hello,
      { role: 'assistant', content: called.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'rain' }] },
    ],
  });
  expect(JSON.stringify(answered.content)).toContain('rain');
});

test.each(TYPES)('ai with @ai-sdk/openai-compatible in front of %s', async (type) => {
  const provider = createOpenAICompatible({
    name: 'gateway',
    baseURL: `${base}/${type}/v1`,
    includeUsage: true,
  });
  const { text, usage } = await generateText({ model: provider('good'), prompt: 'Hello', maxRetries: 0 });
  expect(text).toBe(REPLY);
  expect(usage.inputTokens).toBe(PROMPT_TOKENS[type]);

  const streamed = streamText({ model: provider('good'), prompt: 'Hello', maxRetries: 0 });
  const pieces: string[] = [];
  for await (const piece of streamed.textStream) pieces.push(piece);
  expect(pieces.join('')).toBe(REPLY);
  expect(await streamed.finishReason).toBe('stop');

  const weather = {
    description: 'The weather',
    inputSchema: jsonSchema<typeof TOOL_ARGUMENTS>({ type: 'object' }),
  };
  const called = streamText({
    model: provider('tools'),
    prompt: 'Hello',
    tools: { weather },
    maxRetries: 0,
  });
  const [call] = await called.toolCalls;
  expect(call).toMatchObject({ toolName: 'weather', input: TOOL_ARGUMENTS });
});

test.each(TYPES)('a stream that breaks is an error for every client, in front of %s', async (type) => {
  const chat = await openai(type).chat.completions.create({
    model: 'ends-early',
    messages: hello,
    stream: true,
  });
  await expect(drain(chat)).rejects.toMatchObject({ code: 'upstream_stream_incomplete' });
  const responses = await openai(type).responses.create({
    model: 'ends-early',
    input: 'Hello',
    stream: true,
  });
  await expect(drain(responses)).rejects.toThrow('ended before the answer was complete');
  const messages = anthropic(type).messages.stream({ model: 'ends-early', max_tokens: 10, messages: hello });
  await expect(messages.finalMessage()).rejects.toThrow('ended before the answer was complete');
});

test('openai asks for vectors as base64, and gets them from Gemini as well', async () => {
  for (const type of ['openai', 'gemini'] as const) {
    const { data } = await openai(type).embeddings.create({ model: 'good', input: ['abc', 'de'] });
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [3, 0.5, -0.25],
      [2, 0.5, -0.25],
    ]);
  }
});

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of events);
}
