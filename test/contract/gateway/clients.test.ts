import Anthropic from '@anthropic-ai/sdk';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, streamText } from 'ai';
import OpenAI from 'openai';
import { expect } from 'vitest';
import { type FixtureWire, startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { REPLY, TOOL_ARGUMENTS } from '../../runtime/targets/gateway/test-provider.ts';
import type { GatewayArm } from './arms.ts';
import { createKey } from './chat.ts';
import { providersFor } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const TYPES: FixtureWire[] = ['openai', 'anthropic', 'gemini'];
const fixtures = {
  openai: await startFixture('openai'),
  anthropic: await startFixture('anthropic'),
  gemini: await startFixture('gemini'),
};
const providers = providersFor(fixtures);
// The fixture has no `/responses`, like most servers with OpenAI's API.
const config = {
  providers: { ...providers, openai: { ...providers['openai'], dialect: { responses: false } } },
};
const hello = [{ role: 'user' as const, content: 'Hello' }];
const PARAMETERS = { type: 'object' as const, properties: { city: { type: 'string' } } };
const PROMPT_TOKENS = { openai: 21, anthropic: 25, gemini: 17 };

/** The gateway, with a new key. */
async function access(arm: GatewayArm): Promise<{ readonly baseURL: string; readonly apiKey: string }> {
  const api = await start(arm, { config });
  return { baseURL: api.url, apiKey: await createKey(api) };
}

async function openaiClient(arm: GatewayArm): Promise<OpenAI> {
  const { baseURL, apiKey } = await access(arm);
  return new OpenAI({ baseURL: `${baseURL}/v1`, apiKey, maxRetries: 0 });
}
const anthropicClient = async (arm: GatewayArm): Promise<Anthropic> =>
  new Anthropic({ ...(await access(arm)), maxRetries: 0 });

verifiesGateway('gateway:clients:openai', async (arm) => {
  const client = await openaiClient(arm);
  for (const type of TYPES) {
    const whole = await client.chat.completions.create({ model: `${type}:good`, messages: hello });
    expect(whole.choices[0]?.message.content).toBe(REPLY);
    expect(whole.usage?.prompt_tokens).toBe(PROMPT_TOKENS[type]);

    const runner = client.chat.completions.stream({
      model: `${type}:tools`,
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
    await checkResponses(client, type);
  }
  for (const type of ['openai', 'gemini']) {
    const { data } = await client.embeddings.create({ model: `${type}:good`, input: ['abc', 'de'] });
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [3, 0.5, -0.25],
      [2, 0.5, -0.25],
    ]);
  }
});

async function checkResponses(client: OpenAI, type: FixtureWire): Promise<void> {
  const model = `${type}:good`;
  const whole = await client.responses.create({ model, instructions: 'Be brief.', input: 'Hello' });
  expect(whole.output_text).toBe(REPLY);
  expect(whole).toMatchObject({ status: 'completed', usage: { input_tokens: PROMPT_TOKENS[type] } });

  const stream = client.responses.stream({ model, input: 'Hello' });
  const said: string[] = [];
  stream.on('response.output_text.delta', ({ delta }) => said.push(delta));
  const final = await stream.finalResponse();
  expect(said.join('')).toBe(REPLY);
  expect(final.output_text).toBe(REPLY);

  const tools = [{ type: 'function' as const, name: 'weather', parameters: PARAMETERS, strict: false }];
  const asked = { model: `${type}:tools`, input: 'Hello', tools };
  const called = await client.responses.stream(asked).finalResponse();
  const call = called.output.find((item) => item.type === 'function_call');
  expect(JSON.parse(call?.arguments ?? '')).toEqual(TOOL_ARGUMENTS);
  const id = call?.call_id ?? '';
  const answered = await client.responses.create({
    model,
    input: [
      { role: 'user', content: 'Weather?' },
      { type: 'function_call', call_id: id, name: 'weather', arguments: call?.arguments ?? '' },
      { type: 'function_call_output', call_id: id, output: 'rain' },
    ],
  });
  expect(answered.output_text).toContain('rain');
}

verifiesGateway('gateway:clients:anthropic', async (arm) => {
  const client = await anthropicClient(arm);
  for (const type of TYPES) {
    const common = { model: `${type}:good`, max_tokens: 100, messages: hello };
    const whole = await client.messages.create({ ...common, system: 'Be brief.' });
    expect(whole.content).toEqual([expect.objectContaining({ type: 'text', text: REPLY })]);
    expect(whole.stop_reason).toBe('end_turn');
    const {
      input_tokens: fresh,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    } = whole.usage;
    expect(fresh + (read ?? 0) + (written ?? 0)).toBe(PROMPT_TOKENS[type]);

    const said: string[] = [];
    const stream = client.messages.stream(common);
    stream.on('text', (text) => said.push(text));
    const final = await stream.finalMessage();
    expect(said.join('')).toBe(REPLY);
    expect(final.usage.output_tokens).toBeGreaterThan(0);

    const tools = [{ name: 'weather', input_schema: PARAMETERS }];
    const called = await client.messages.stream({ ...common, model: `${type}:tools`, tools }).finalMessage();
    const call = called.content.find((block) => block.type === 'tool_use');
    expect(called.stop_reason).toBe('tool_use');
    expect(call).toMatchObject({ name: 'weather', input: TOOL_ARGUMENTS });
    const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: 'rain' };
    const answered = await client.messages.create({
      ...common,
      messages: [
        ...hello,
        { role: 'assistant', content: called.content },
        { role: 'user', content: [result] },
      ],
    });
    expect(JSON.stringify(answered.content)).toContain('rain');
  }
});

verifiesGateway('gateway:clients:ai', async (arm) => {
  const { baseURL, apiKey } = await access(arm);
  const provider = createOpenAICompatible({
    name: 'gateway',
    baseURL: `${baseURL}/v1`,
    apiKey,
    includeUsage: true,
  });
  for (const type of TYPES) {
    const good = { model: provider(`${type}:good`), prompt: 'Hello', maxRetries: 0 };
    const { text, usage } = await generateText(good);
    expect(text).toBe(REPLY);
    expect(usage.inputTokens).toBe(PROMPT_TOKENS[type]);

    const streamed = streamText(good);
    const pieces: string[] = [];
    for await (const piece of streamed.textStream) pieces.push(piece);
    expect(pieces.join('')).toBe(REPLY);
    expect(await streamed.finishReason).toBe('stop');

    const inputSchema = jsonSchema<typeof TOOL_ARGUMENTS>({ type: 'object' });
    const tools = { weather: { description: 'The weather', inputSchema } };
    const called = streamText({ ...good, model: provider(`${type}:tools`), tools });
    const [call] = await called.toolCalls;
    expect(call).toMatchObject({ toolName: 'weather', input: TOOL_ARGUMENTS });
  }
});

verifiesGateway('gateway:clients:errors', async (arm) => {
  const [openai, anthropic] = [await openaiClient(arm), await anthropicClient(arm)];
  const message = { max_tokens: 10, messages: hello };
  await expect(openai.chat.completions.create({ model: 'nobody:x', messages: hello })).rejects.toMatchObject({
    status: 400,
    code: 'model_not_found',
    param: 'model',
  });
  await expect(anthropic.messages.create({ ...message, model: 'nobody:x' })).rejects.toMatchObject({
    status: 400,
    error: { type: 'error', error: { type: 'invalid_request_error' } },
  });
  const stranger = new OpenAI({ baseURL: openai.baseURL, apiKey: 'gw-nobody', maxRetries: 0 });
  await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_key' });
  for (const type of TYPES) {
    const model = `${type}:ends-early`;
    const chat = await openai.chat.completions.create({ model, messages: hello, stream: true });
    await expect(drain(chat)).rejects.toMatchObject({ code: 'upstream_stream_incomplete' });
    const responses = await openai.responses.create({ model, input: 'Hello', stream: true });
    await expect(drain(responses)).rejects.toThrow('ended before the response was complete');
    const messages = anthropic.messages.stream({ ...message, model });
    await expect(messages.finalMessage()).rejects.toThrow('ended before the response was complete');
  }
});

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of events);
}
