import { expect, test } from 'vitest';
import { inputTexts } from '../../../../../../runtime/targets/gateway/ask/guardrails/input-texts.ts';

test.each<[string, Record<string, unknown>]>([
  ['the description of a tool', { tools: [{ type: 'function', function: { description: 'an attack' } }] }],
  ['the name of what a tool takes', { tools: [{ input_schema: { properties: { 'an attack': {} } } }] }],
  [
    'what is called like a setting',
    { tools: [{ parameters: { properties: { headers: { title: 'attack' } } } }] },
  ],
  ['a function of the older form', { functions: [{ name: 'x', description: 'an attack' }] }],
  ['the grammar of a custom tool', { tools: [{ type: 'custom', format: { definition: 'attack' } }] }],
  ['the format of the answer', { response_format: { json_schema: { description: 'an attack' } } }],
  [
    'its schema',
    { response_format: { json_schema: { schema: { properties: { id: { title: 'attack' } } } } } },
  ],
  ['a value of a schema', { text: { format: { schema: { enum: [{ id: 'attack' }] } } } }],
  ['a prediction', { prediction: { type: 'content', content: 'an attack' } }],
  ['variables of a prompt', { prompt: { id: 'pmpt_1', variables: { customer_id: 'an attack' } } }],
  ['the title of a document', { messages: [{ content: [{ type: 'document', title: 'an attack' }] }] }],
  ['a custom tool call', { messages: [{ tool_calls: [{ custom: { input: 'an attack' } }] }] }],
  ['a member that only one provider has', { chat_template: 'an attack' }],
  ['instructions', { instructions: 'an attack' }],
])('a text is found in %s', (_where, body) => {
  expect(inputTexts({ model: 'x', ...body }).join()).toContain('attack');
});

test('the result of one tool is one text', () => {
  const tools = [
    { name: 'a', description: 'b' },
    { function: { name: 'c', parameters: { type: 'object' } } },
  ];
  expect(inputTexts({ tools })).toEqual(['a\nb', 'c']);
});

test('ids, kinds, names of models, addresses and data are not texts', () => {
  const body = {
    model: 'openai:attack',
    user: 'attack',
    previous_response_id: 'attack',
    messages: [
      {
        role: 'attack',
        tool_call_id: 'attack',
        content: [{ type: 'image_url', image_url: { url: 'attack' } }],
      },
      { content: [{ type: 'image', source: { type: 'base64', media_type: 'attack', data: 'attack' } }] },
    ],
    tools: [{ type: 'mcp', server_url: 'attack', authorization: 'attack', headers: { 'X-Key': 'attack' } }],
    tool_choice: { function: { name: 'attack' } },
  };
  expect(inputTexts(body).join()).not.toContain('attack');
});
