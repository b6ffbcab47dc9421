import { expect, test } from 'vitest';
import {
  callOf,
  chatBody,
  contentOf,
  eventsOf,
  jsonOf,
  readStream,
  REPLY,
  TOOL_ARGUMENTS,
  wholeOf,
} from '../../test-provider.ts';
import { startThree, TYPES, USAGE } from '../../three-providers.ts';

const { fixtures, providers } = await startThree();

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'weather',
      description: 'The weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];

test.each(TYPES)('%s: a response is converted to the internal format, with its usage', async (type) => {
  const answer = await providers[type].chat(callOf('chat', chatBody('good')));
  expect(jsonOf(answer)).toMatchObject({
    object: 'chat.completion',
    model: 'good',
    created: expect.any(Number),
    choices: [{ index: 0, message: { role: 'assistant', content: REPLY }, finish_reason: 'stop' }],
  });
  expect(wholeOf(answer)).toMatchObject({
    text: REPLY,
    summary: { usage: USAGE[type], outputLength: REPLY.length, finishReason: 'stop' },
  });
});

test.each(TYPES)('%s: a stream has the same output and usage as the buffered response', async (type) => {
  const { text, summary } = await readStream(
    await providers[type].chat(callOf('chat', chatBody('good', { stream: true }))),
  );
  expect(contentOf(text)).toBe(REPLY);
  expect(
    text.endsWith('"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n') ||
      /"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/.test(text),
  ).toBe(true);
  expect(summary).toMatchObject({
    outcome: 'complete',
    usage: USAGE[type],
    outputLength: REPLY.length,
    finishReason: 'stop',
  });
});

test.each(TYPES)('%s: only clients that request usage in streams receive the usage chunk', async (type) => {
  const usageIn = (text: string): unknown[] =>
    eventsOf(text)
      .filter(([, data]) => data !== '[DONE]')
      .map(([, data]) => (JSON.parse(data) as { usage?: unknown }).usage)
      .filter((usage) => usage !== undefined && usage !== null);
  const silent = await readStream(
    await providers[type].chat(callOf('chat', chatBody('good', { stream: true }))),
  );
  expect(usageIn(silent.text)).toEqual([]);
  const asked = { stream: true, stream_options: { include_usage: true } };
  const told = await readStream(await providers[type].chat(callOf('chat', chatBody('good', asked))));
  const { promptTokens, completionTokens } = USAGE[type];
  expect(usageIn(told.text)).toEqual([
    expect.objectContaining({ prompt_tokens: promptTokens, completion_tokens: completionTokens }),
  ]);
});

test.each(TYPES)('%s: tools can be called, and their results are accepted', async (type) => {
  // Given
  const chat = async (body: Record<string, unknown>) =>
    jsonOf(await providers[type].chat(callOf('chat', body)));
  // When
  const called = (await chat(
    chatBody('tools', { tools: TOOLS, tool_choice: 'required', parallel_tool_calls: false }),
  )) as {
    choices: {
      finish_reason: string;
      message: { role: string; tool_calls: { id: string; function: { name: string; arguments: string } }[] };
    }[];
  };
  const [choice] = called.choices;
  const [call] = choice?.message.tool_calls ?? [];
  // Then
  expect(choice?.finish_reason).toBe('tool_calls');
  expect(call?.function.name).toBe('weather');
  expect(JSON.parse(call?.function.arguments ?? '')).toEqual(TOOL_ARGUMENTS);
  // And: the fixtures reject results that do not belong to calls
  const answered = await chat({
    model: 'good',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather?' },
      choice?.message,
      { role: 'tool', tool_call_id: call?.id, content: 'rain' },
    ],
  });
  expect(JSON.stringify(answered)).toContain('rain');
  const last = (await fixtures[type].last()).body;
  // Gemini's reasoning is sent back to Gemini, and to no other provider.
  expect(last.includes('"thoughtSignature":"dGhvdWdodA=="')).toBe(type === 'gemini');
});

test.each(TYPES)('%s: streamed tool calls are complete', async (type) => {
  const body = chatBody('tools', {
    stream: true,
    tools: [...TOOLS, { type: 'function', function: { name: 'news' } }],
  });
  const { text, summary } = await readStream(await providers[type].chat(callOf('chat', body)));
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const [, data] of eventsOf(text)) {
    if (data === '[DONE]') continue;
    const chunk = JSON.parse(data) as {
      choices: {
        delta: {
          tool_calls?: { index: number; id?: string; function: { name?: string; arguments?: string } }[];
        };
      }[];
    };
    for (const delta of chunk.choices[0]?.delta.tool_calls ?? []) {
      const call = (calls[delta.index] ??= { id: '', name: '', arguments: '' });
      call.id += delta.id ?? '';
      call.name += delta.function.name ?? '';
      call.arguments += delta.function.arguments ?? '';
    }
  }
  expect(calls.map(({ name }) => name)).toEqual(['weather', 'news']);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  expect(calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual([
    TOOL_ARGUMENTS,
    TOOL_ARGUMENTS,
  ]);
  expect(summary.finishReason).toBe('tool_calls');
});
