import { expect, test } from 'vitest';
import { checkedTexts } from '#gateway/requests/guardrails/input-parts.ts';
import { patternsOf, openMasking, rule } from './mask/open-masking.ts';

const IBAN = 'DE12345678901234567890';
/** The same text in JSON, with its last digit escaped. */
const ESCAPED = IBAN.replace(/0$/, String.raw`\u0030`);
const args = `{"to":"${ESCAPED}"}`;
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: args } };

/** Every place in a request where text was once hidden from patterns, although providers read it. */
const PLACES: Record<string, Record<string, unknown>> = {
  'chat tool arguments': { messages: [{ role: 'assistant', tool_calls: [call] }] },
  'a legacy function call': {
    messages: [{ role: 'assistant', function_call: { name: 'f', arguments: args } }],
  },
  'a chat tool result': { messages: [{ role: 'tool', tool_call_id: 'a', content: args }] },
  'a tool result with parts': {
    messages: [{ role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: ` ${args}` }] }],
  },
  'Responses tool arguments': {
    input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: args }],
  },
  'a Responses tool result': { input: [{ type: 'function_call_output', call_id: 'a', output: args }] },
  'an argument that contains JSON': {
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { a: args } }] },
    ],
  },
  'a duplicate member': {
    messages: [{ role: 'tool', tool_call_id: 'a', content: `{"to":"${IBAN}","to":"\\u0041"}` }],
  },
  'a Gemini tool result with any member names': {
    contents: [
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { data: IBAN, id: IBAN } } }] },
    ],
  },
  'a message that claims to be an MCP server': { messages: [{ role: 'user', type: 'mcp', content: IBAN }] },
  'a part that claims to be an MCP server': {
    contents: [{ role: 'user', parts: [{ type: 'mcp', text: IBAN }] }],
  },
  'the headers of a result that claims to be an MCP server': {
    messages: [{ role: 'user', content: [{ type: 'mcp', headers: { a: { text: IBAN } } }] }],
  },
  'the description of an MCP server': { tools: [{ type: 'mcp', server_description: IBAN, server_url: 'x' }] },
};

test.each(Object.entries(PLACES))('text is masked and checked in %s', async (_place, body) => {
  const rules = [rule('ids', { on: ['input'] })];
  const { guardrails } = openMasking({ profile: patternsOf({ IBAN: String.raw`DE\d{20}` }), rules });
  const request = { requestId: 'r-1', signal: new AbortController().signal };
  const { masked } = await guardrails.checkInput(rules, body, request);
  const sent = JSON.stringify(masked?.body);
  expect(sent).toContain('[IBAN_1]');
  expect(sent).not.toContain('DE1234567890');
  expect(checkedTexts(body).join('\n')).toContain(IBAN);
});

test('tool arguments are checked with their actual line breaks and quotes', () => {
  const text = 'two\nlines "quoted"';
  expect(checkedTexts({ messages: [{ content: [{ type: 'tool_use', input: { text } }] }] })).toContain(text);
});

test('unmasked text is sent unchanged', async () => {
  const rules = [rule('ids', { on: ['input'] })];
  const { guardrails } = openMasking({ profile: patternsOf({ IBAN: String.raw`DE\d{20}` }), rules });
  const content = '{"a": "\\u0041",  "n": 1.50}';
  const request = { requestId: 'r-1', signal: new AbortController().signal };
  const body = {
    messages: [
      { role: 'tool', content },
      { role: 'user', content: IBAN },
    ],
  };
  const { masked } = await guardrails.checkInput(rules, body, request);
  expect(masked?.body).toEqual({
    messages: [
      { role: 'tool', content },
      { role: 'user', content: '[IBAN_1]' },
    ],
  });
});

test('credentials of an MCP server are not masked', async () => {
  const rules = [rule('ids', { on: ['input'] })];
  const { guardrails } = openMasking({ profile: patternsOf({ IBAN: String.raw`DE\d{20}` }), rules });
  const tool = { type: 'mcp', server_url: IBAN, authorization: IBAN, headers: { description: IBAN } };
  const request = { requestId: 'r-1', signal: new AbortController().signal };
  const { masked } = await guardrails.checkInput(rules, { input: IBAN, tools: [tool] }, request);
  expect(masked?.body).toEqual({ input: '[IBAN_1]', tools: [tool] });
  expect(checkedTexts({ tools: [tool] }).join()).not.toContain(IBAN);
});
