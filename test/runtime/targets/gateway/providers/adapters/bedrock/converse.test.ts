import { describe, expect, test } from 'vitest';
import {
  callOf,
  chatBody,
  contentOf,
  eventsOf,
  failureOf,
  jsonOf,
  readStream,
  REPLY,
  TOOL_ARGUMENTS,
} from '../../../test-provider.ts';
import { startBedrock } from './stand-in.ts';

const { bedrock, fixture, sent } = await startBedrock();
const COUNTED = {
  promptTokens: 30,
  completionTokens: 12,
  cachedTokens: 8,
  cacheWriteTokens: 3,
  cacheWrite1hTokens: 3,
  reasoningTokens: 0,
};
const ARN = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/good';

describe('Converse', () => {
  test.each(['good', 'us.amazon.good-v1:0', "good@'(1)*!", ARN])(
    'returns responses from %s, buffered and streamed',
    async (model) => {
      const whole = await bedrock.chat(callOf('chat', chatBody(model)));
      expect(jsonOf(whole)).toMatchObject({
        model,
        choices: [{ message: { content: REPLY }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 },
      });
      const segment = encodeURIComponent(model).replaceAll(
        /['()*!]/g,
        (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
      );
      expect((await fixture.last()).path).toBe(`/model/${segment}/converse`);
      const stream = callOf('chat', chatBody(model, { stream: true }));
      const { text, summary } = await readStream(await bedrock.chat(stream));
      expect([contentOf(text), summary.outcome, summary.usage]).toEqual([REPLY, 'complete', COUNTED]);
      expect((await fixture.last()).headers['accept']).toBe('application/vnd.amazon.eventstream');
    },
  );

  test('supports streams split at every byte, reasoning and tools', async () => {
    const read = async (model: string, more: object = {}) =>
      await readStream(await bedrock.chat(callOf('chat', chatBody(model, { stream: true, ...more }))));
    expect(contentOf((await read('split')).text)).toBe(REPLY);
    const thought = await read('thinks');
    expect(
      eventsOf(thought.text)
        .filter(([, data]) => data !== '[DONE]')
        .map(([, data]) => JSON.parse(data).choices?.[0]?.delta?.reasoning_content ?? '')
        .join(''),
    ).toBe('Hm, 東京.');
    const tools = ['one', 'two'].map((name) => ({ type: 'function', function: { name } }));
    const called = await read('good', { tools });
    const calls = new Map<number, string>();
    for (const [, data] of eventsOf(called.text))
      for (const { index, function: part } of data === '[DONE]'
        ? []
        : (JSON.parse(data).choices[0]?.delta.tool_calls ?? []))
        calls.set(index, (calls.get(index) ?? '') + (part.arguments ?? ''));
    expect([...calls.values()].map((text) => JSON.parse(text))).toEqual([TOOL_ARGUMENTS, TOOL_ARGUMENTS]);
    expect(called.summary.finishReason).toBe('tool_calls');
  });

  test('forwards every parameter that it supports', async () => {
    const png = `data:image/png;base64,${Buffer.from('png').toString('base64')}`;
    const cached = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } };
    const body = {
      model: 'anthropic.talks',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...cached }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: png } },
            {
              type: 'file',
              file: { file_data: png.replace('image/png', 'application/pdf'), filename: 'a_b.pdf' },
            },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call, { ...call, id: 'c2' }] },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
        { role: 'tool', tool_call_id: 'c2', content: '' },
        { role: 'user', content: 'So?' },
      ],
      max_tokens: 5,
      temperature: 1.5,
      top_p: 0.5,
      stop: 'END',
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } }, ...cached }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      thinking: { type: 'enabled', budget_tokens: 1024 },
    };
    jsonOf(await bedrock.chat(callOf('chat', body)));
    const cachePoint = { type: 'default', ttl: '1h' };
    const source = { bytes: Buffer.from('png').toString('base64') };
    const toolUse = { toolUseId: 'c1', name: 'weather', input: { city: 'Bern' } };
    expect(await sent()).toEqual({
      system: [{ text: 'Be brief.' }, { cachePoint }],
      messages: [
        {
          role: 'user',
          content: [
            { text: 'Look' },
            { image: { format: 'png', source } },
            { document: { format: 'pdf', name: 'a-b-pdf', source } },
          ],
        },
        { role: 'assistant', content: [{ toolUse }, { toolUse: { ...toolUse, toolUseId: 'c2' } }] },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'c1', content: [{ text: 'sunny' }] } },
            { toolResult: { toolUseId: 'c2', content: [{ text: '(no output)' }] } },
            { text: 'So?' },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 5, temperature: 1, topP: 0.5, stopSequences: ['END'] },
      toolConfig: {
        tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }, { cachePoint }],
        toolChoice: { tool: { name: 'weather' } },
      },
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: 'answer', schema: '{"type":"object"}' } },
        },
      },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    });
  });

  test('converts tool calls and results to text if no tool can be chosen', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const body = {
      model: 'good',
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Let me see.', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      ],
      tools: [{ type: 'function', function: { name: 'weather' } }],
      tool_choice: 'none',
    };
    jsonOf(await bedrock.chat(callOf('chat', body)));
    expect(await sent()).toEqual({
      messages: [
        { role: 'user', content: [{ text: 'Hello' }] },
        { role: 'assistant', content: [{ text: 'Let me see.' }, { text: 'Called weather with {}' }] },
        { role: 'user', content: [{ text: 'Result of weather: sunny' }] },
      ],
    });
  });

  test('reports an unknown model as not found, although Amazon returns 400', async () => {
    expect(failureOf(await bedrock.chat(callOf('chat', chatBody('absent')))).kind).toBe('model_not_found');
  });

  test('counts tokens and lists models at a separate endpoint', async () => {
    const counted = await bedrock.countTokens?.(callOf('chat', chatBody('anthropic.good')));
    expect(counted).toEqual({ kind: 'counted', tokens: 30 });
    expect(await sent()).toEqual({
      input: { converse: { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] } },
    });
    expect(await bedrock.models(new AbortController().signal)).toEqual([
      { id: 'amazon.nova-pro-v1:0', created: 0, ownedBy: 'Amazon' },
    ]);
  });
});
