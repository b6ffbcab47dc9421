import { expect, test } from 'vitest';
import type { ChatChunk, Json } from '#gateway/providers/shapes/chat.ts';
import { messagesWire } from '#gateway/providers/wires/messages/wire.ts';
import { responsesWire } from '#gateway/providers/wires/responses/wire.ts';
import { withSupportedTools } from '#gateway/providers/wires/custom-tools.ts';
import { eventsOf } from '../../test-provider.ts';
import { completionCalling } from './completion-calling.ts';

const PARAMETERS = { type: 'object', properties: {} };
const functionOf = (name: string): Json => ({ type: 'function', name, parameters: PARAMETERS });
const TOOLS = [
  functionOf('exec'),
  { type: 'namespace', name: 'mcp__desk', tools: [functionOf('stamp'), { type: 'custom', name: 'patch' }] },
  { type: 'namespace', name: 'agents', tools: [functionOf('spawn')] },
];
const REQUEST = { model: 'm', input: 'hi', tools: TOOLS };
const FLAT = ['exec', 'mcp__desk__stamp', 'mcp__desk__patch', 'agents__spawn'];
const namesIn = (body: Json): unknown[] =>
  (responsesWire.toChat(body).tools ?? []).map((tool) => tool.function?.name ?? tool.type);

const calls = [
  { id: 'c1', type: 'function', function: { name: 'mcp__desk__stamp', arguments: '{}' } },
  { id: 'c2', type: 'function', function: { name: 'mcp__desk__patch', arguments: '{"input":"+a"}' } },
  { id: 'c3', type: 'function', function: { name: 'exec', arguments: '{}' } },
] as const;
const ITEMS = [
  { type: 'function_call', call_id: 'c1', name: 'stamp', namespace: 'mcp__desk', arguments: '{}' },
  { type: 'custom_tool_call', call_id: 'c2', name: 'patch', namespace: 'mcp__desk', input: '+a' },
  { type: 'function_call', call_id: 'c3', name: 'exec', arguments: '{}' },
];

test('for other providers, tools in namespaces become functions with unique names', () => {
  expect(namesIn(REQUEST)).toEqual(FLAT);
  const { dropped, chat } = withSupportedTools(responsesWire.toChat(REQUEST), 'refuse');
  expect([dropped, chat.tools?.length]).toEqual([[], 4]);
});

test('a request whose only tool is a namespace is converted', () => {
  const { chat } = withSupportedTools(responsesWire.toChat({ ...REQUEST, tools: TOOLS.slice(1, 2) }), 'drop');
  expect(chat.tools).toHaveLength(2);
});

test("a call's name and namespace are restored", () => {
  const { output } = responsesWire.fromChat(completionCalling(...calls), REQUEST);
  expect(output).toEqual(ITEMS.map((item) => expect.objectContaining(item)));
  expect(JSON.stringify((output as Json[])[2])).not.toContain('namespace');
});

test("a streamed call's name and namespace are restored in every event", () => {
  const encoder = responsesWire.encoder(REQUEST, { model: 'm', created: 1 });
  const chunk: ChatChunk = {
    id: 'a',
    choices: [{ index: 0, delta: { tool_calls: calls.map((call, index) => ({ ...call, index })) } }],
  };
  const text = encoder.encode([chunk]);
  const { last, terminal } = encoder.end();
  const events = eventsOf(text + last + terminal).map(([, data]) => JSON.parse(data) as Json);
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
  expect(done).toEqual(ITEMS.map((item) => expect.objectContaining(item)));
  const shown = JSON.stringify(events.filter(({ response }) => response === undefined));
  for (const flat of FLAT.slice(1)) expect(shown).not.toContain(flat);
});

test('earlier calls use the converted tool names, even without their namespace', () => {
  const input = [...ITEMS, { type: 'function_call_output', call_id: 'c1', output: 'ok' }];
  for (const tools of [TOOLS, []]) {
    const [message] = responsesWire.toChat({ ...REQUEST, input, tools }).messages;
    expect(message?.tool_calls).toEqual(calls);
  }
});

test('colliding names stay separate', () => {
  const tools = [functionOf('a__b'), { type: 'namespace', name: 'a', tools: [functionOf('b')] }];
  expect(namesIn({ ...REQUEST, tools })).toEqual(['a__b', 'a__b_2']);
  const input = [{ type: 'function_call', call_id: 'c', name: 'b', namespace: 'a', arguments: '{}' }];
  const [message] = responsesWire.toChat({ ...REQUEST, tools, input }).messages;
  expect(message?.tool_calls?.[0]?.function.name).toBe('a__b_2');
});

test('a tool choice and a list of allowed tools can name a namespace', () => {
  const chosen = (choice: Json) => responsesWire.toChat({ ...REQUEST, tool_choice: choice });
  expect(chosen({ type: 'function', name: 'stamp', namespace: 'mcp__desk' }).tool_choice).toEqual({
    type: 'function',
    function: { name: 'mcp__desk__stamp' },
  });
  const allowed = (tools: Json[]) =>
    chosen({ type: 'allowed_tools', mode: 'auto', tools }).tools?.map((tool) => tool.function?.name);
  expect(allowed([{ type: 'namespace', name: 'mcp__desk' }])).toEqual([
    'mcp__desk__stamp',
    'mcp__desk__patch',
  ]);
  expect(allowed([{ type: 'function', name: 'exec' }])).toEqual(['exec']);
});

test("Claude Code's tool references become text for other providers, and its deferred tools are sent", () => {
  const chat = messagesWire.toChat({
    model: 'm',
    max_tokens: 9,
    tools: [
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      { name: 'mcp__desk__stamp', input_schema: PARAMETERS, defer_loading: true },
    ],
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'ToolSearch', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c1',
            content: [{ type: 'tool_reference', tool_name: 'mcp__desk__stamp' }],
          },
        ],
      },
    ],
  });
  expect(chat.messages.at(-1)).toEqual({
    role: 'tool',
    tool_call_id: 'c1',
    content: 'The tool mcp__desk__stamp is available now.',
  });
  expect(withSupportedTools(chat, 'refuse').chat.tools?.map((tool) => tool.function?.name)).toEqual([
    'mcp__desk__stamp',
  ]);
});
