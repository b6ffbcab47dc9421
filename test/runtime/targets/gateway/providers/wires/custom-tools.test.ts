import { expect, test } from 'vitest';
import type { ChatChunk, ChatCompletion } from '#gateway/providers/shapes/chat.ts';
import { chatWire } from '#gateway/providers/wires/chat/wire.ts';
import { messagesWire } from '#gateway/providers/wires/messages/wire.ts';
import { responsesWire } from '#gateway/providers/wires/responses/wire.ts';
import { withSupportedTools } from '#gateway/providers/wires/custom-tools.ts';
import { eventsOf } from '../../test-provider.ts';
import { completionCalling } from './completion-calling.ts';

const PATCH = '*** Begin "Patch"\n+é 🌍';
const FACTS = { model: 'm', created: 1 };
const GRAMMAR = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: WORD' } };
const WEATHER = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
const CHAT = {
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ type: 'custom', custom: { name: 'patch', description: 'Edits.', format: GRAMMAR } }, WEATHER],
};
const RESPONSES = {
  model: 'm',
  input: 'hi',
  tools: [
    { type: 'custom', name: 'patch', description: 'Edits.', format: GRAMMAR.grammar },
    { type: 'function', name: 'weather', parameters: { type: 'object' } },
  ],
};

/** A response that calls the function created from the custom tool, and another function. */
const called = (args: string): ChatCompletion =>
  completionCalling(
    { id: 'c1', type: 'function', function: { name: 'patch', arguments: args } },
    { id: 'c2', type: 'function', function: { name: 'weather', arguments: '{"a":1}' } },
  );

/** The same response as a stream, with the arguments in chunks of three characters. */
function chunksOf(args: string): ChatChunk[] {
  const chunk = (delta: object, finish: string | null = null): ChatChunk => ({
    id: 'a',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const pieces = args.match(/.{1,3}/gsu) ?? [];
  return [
    chunk({ role: 'assistant', content: 'ok' }),
    chunk({
      tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'patch', arguments: '' } }],
    }),
    ...pieces.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    chunk({
      tool_calls: [
        { index: 1, id: 'c2', type: 'function', function: { name: 'weather', arguments: '{"a":1}' } },
      ],
    }),
    chunk({}, 'tool_calls'),
  ];
}

test.each([
  [chatWire, CHAT],
  [responsesWire, RESPONSES],
])('a custom tool becomes a function with one string argument for other providers', (wire, body) => {
  const [patch, weather] = wire.toChat(body).tools ?? [];
  expect(weather?.function?.name).toBe('weather');
  expect(patch).toMatchObject({
    type: 'function',
    function: {
      name: 'patch',
      description: 'Edits.',
      parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
    },
  });
  expect(JSON.stringify(patch)).toContain('lark grammar:\\nstart: WORD');
});

test.each([
  [JSON.stringify({ input: PATCH }), PATCH],
  // A model that does not follow the schema.
  ['{"city":"Zürich"}', '{"city":"Zürich"}'],
  ['not JSON', 'not JSON'],
])('a call of the function %s is converted back to a custom tool call, even in streams', (args, input) => {
  const chat = chatWire.fromChat(called(args), CHAT) as unknown as ChatCompletion;
  const wanted = { id: 'c1', type: 'custom', custom: { name: 'patch', input } };
  expect(chat.choices[0]?.message.tool_calls).toMatchObject([wanted, { id: 'c2', type: 'function' }]);

  const encoder = chatWire.encoder(CHAT, FACTS);
  const deltas = chunksOf(args)
    .flatMap((chunk) => eventsOf(encoder.encode([chunk])))
    .flatMap(([, data]) => (JSON.parse(data) as ChatChunk).choices ?? [])
    .flatMap(({ delta }) => delta?.tool_calls ?? []);
  expect(deltas).toMatchObject([
    { index: 0, ...wanted },
    { index: 1, id: 'c2', type: 'function', function: { name: 'weather' } },
  ]);

  const response = responsesWire.fromChat(called(args), RESPONSES);
  const item = { id: 'ctc_c1', type: 'custom_tool_call', call_id: 'c1', name: 'patch', input };
  expect(response['output']).toMatchObject([item, { type: 'function_call', name: 'weather' }]);

  const events = responsesWire.encoder(RESPONSES, FACTS);
  const text =
    chunksOf(args)
      .map((chunk) => events.encode([chunk]))
      .join('') + Object.values(events.end()).join('');
  const all = eventsOf(text).map(
    ([type, data]) => [type, JSON.parse(data) as Record<string, unknown>] as const,
  );
  const of = (type: string): unknown[] => all.filter(([name]) => name === type).map(([, event]) => event);
  expect(of('response.custom_tool_call_input.delta')).toMatchObject([{ item_id: 'ctc_c1', delta: input }]);
  expect(of('response.custom_tool_call_input.done')).toMatchObject([{ item_id: 'ctc_c1', input }]);
  expect(of('response.output_item.done')).toMatchObject([{}, { item }, { item: { type: 'function_call' } }]);
  expect(of('response.completed')).toMatchObject([{ response: { output: [{}, item, {}] } }]);
});

test('custom tool calls in earlier messages become function calls', () => {
  const history = [
    {
      role: 'assistant',
      tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'patch', input: PATCH } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
  ];
  const wanted = [
    { tool_calls: [{ id: 'c1', function: { name: 'patch', arguments: JSON.stringify({ input: PATCH }) } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
  ];
  expect(chatWire.toChat({ model: 'm', messages: history }).messages).toMatchObject(wanted);
  const items = [
    { type: 'reasoning', encrypted_content: 'x' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: PATCH },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
  ];
  expect(responsesWire.toChat({ model: 'm', input: items }).messages).toMatchObject(wanted);
});

const SEARCH = { type: 'web_search' };

test.each([
  ['chat', { type: 'custom', custom: { name: 'patch' } }, ['patch', 'weather'], 'patch'],
  [
    'chat',
    { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [WEATHER] } },
    ['weather'],
    'required',
  ],
  ['responses', { type: 'custom', name: 'patch' }, ['patch', 'weather'], 'patch'],
  [
    'responses',
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'patch' }] },
    ['patch'],
    'auto',
  ],
] as const)('%s: converts the tool choice %j', (wire, choice, names, expected) => {
  const chat =
    wire === 'chat'
      ? chatWire.toChat({ ...CHAT, tool_choice: choice })
      : responsesWire.toChat({ ...RESPONSES, tool_choice: choice });
  expect(chat.tools?.map((tool) => tool.function?.name)).toEqual(names);
  const { tool_choice: chosen } = chat;
  expect(typeof chosen === 'string' ? chosen : chosen?.function?.name).toBe(expected);
});

test('tools that only another provider can run are dropped, unless no other tools remain or the model must call the dropped tool', () => {
  const chat = responsesWire.toChat({ ...RESPONSES, tools: [...RESPONSES.tools, SEARCH] });
  expect(withSupportedTools(chat, 'drop')).toMatchObject({
    chat: { tools: [{ type: 'function' }, { type: 'function' }] },
    dropped: ['web_search'],
  });
  expect(() => withSupportedTools(chat, 'refuse')).toThrow('does not support the tool `web_search`');
  const alone = responsesWire.toChat({ ...RESPONSES, tools: [SEARCH] });
  expect(() => withSupportedTools(alone, 'drop')).toThrow('does not support the tool `web_search`');
  const forced = messagesWire.toChat({
    model: 'm',
    messages: [],
    tools: [
      { name: 'own', input_schema: {} },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
    tool_choice: { type: 'tool', name: 'web_search' },
  });
  expect(() => withSupportedTools(forced, 'drop')).toThrow('does not support the tool `web_search_20250305`');
});

test.each([
  ['bash_20250124', 'command'],
  ['text_editor_20250728', 'old_str'],
  ['memory_20250818', 'new_path'],
  ['computer_20250124', 'coordinate'],
])("Anthropic's client-side tool %s becomes a function with its documented arguments", (type, member) => {
  const tools = [{ type, name: 'it', display_width_px: 1024, display_height_px: 768 }];
  const [tool] = messagesWire.toChat({ model: 'm', messages: [], tools }).tools ?? [];
  expect(tool).toMatchObject({ type: 'function', function: { name: 'it' } });
  expect(tool?.function?.parameters?.['properties']).toHaveProperty(member);
});
