import { expect, test } from 'vitest';
import { geminiTools } from '#gateway/requests/tools/wires/gemini.ts';
import { messagesTools } from '#gateway/requests/tools/wires/messages.ts';
import { responsesTools } from '#gateway/requests/tools/wires/responses.ts';
import type { Recall, ToolNames } from '#gateway/requests/tools/wires/wire.ts';

const names: ToolNames = {
  byFunction: new Map(),
  functionOf: (label, tool) => `${label}_${tool}`,
  isOwn: (label) => label === 'desk',
};
const forgotten: Recall = () => undefined;
const question = { role: 'user', content: 'Seal the notes.' };

test('a block of Anthropic’s API without its counterpart is removed, because no call can be without its result', () => {
  const use = { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'seal', server_name: 'desk', input: {} };
  const result = { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_2', content: [] };
  const text = { type: 'text', text: 'Sealed.' };
  const body = { messages: [question, { role: 'assistant', content: [use, result, text] }] };
  expect(messagesTools.withHistory(body, names, forgotten)).toEqual({
    messages: [question, { role: 'assistant', content: [text] }],
  });
});

test('IDs that the gateway has given to calls do not reach Google', () => {
  const call = { functionCall: { id: 'gateway-call-1', name: 'read', args: {} } };
  const result = { functionResponse: { id: 'gateway-call-1', name: 'read', response: {} } };
  const other = { functionCall: { id: 'own', name: 'read', args: {} } };
  const body = {
    contents: [
      { role: 'model', parts: [call, other] },
      { role: 'user', parts: [result] },
    ],
  };
  expect(geminiTools.withHistory(body, names, forgotten)).toEqual({
    contents: [
      { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }, other] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: {} } }] },
    ],
  });
});

test('references to items of the gateway are removed, and those to others remain', () => {
  const refer = (id: string) => ({ type: 'item_reference', id });
  const input = [question, ...['mcp_1_call_1', 'mcpl_desk', 'mcpl_other', 'mcp_68a1', 'rs_1'].map(refer)];
  expect(responsesTools.withHistory({ input }, names, forgotten)).toEqual({
    input: [question, ...['mcpl_other', 'mcp_68a1', 'rs_1'].map(refer)],
  });
});

test('calls that the client sends back with their results take precedence over what the gateway remembers', () => {
  const recall: Recall = () => ({ calls: [{ id: 'call_1' }], turns: ['remembered'] });
  const call = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'call_1', output: 'red' };
  const seal = {
    type: 'mcp_call',
    id: 'mcp_1_a',
    server_label: 'desk',
    name: 'seal',
    arguments: '{}',
    output: 'Mine.',
  };
  const { input } = responsesTools.withHistory({ input: [question, seal, call, result] }, names, recall);
  expect(input).toMatchObject([question, { call_id: 'a' }, { call_id: 'a', output: 'Mine.' }, call, result]);
  expect(responsesTools.withHistory({ input: [question, call, result] }, names, recall)).toEqual({
    input: [question, 'remembered', result],
  });
});
