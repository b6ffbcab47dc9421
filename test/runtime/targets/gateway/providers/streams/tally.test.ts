import { expect, test } from 'vitest';
import { createTally, readUsage, messageText, talliedText } from '#gateway/providers/streams/tally.ts';

const read = (prompt: unknown, completion: unknown) =>
  readUsage({ prompt_tokens: prompt, completion_tokens: completion });

test('provider token counts are used unchanged', () => {
  expect(read(10, 5)).toMatchObject({ promptTokens: 10, completionTokens: 5, cachedTokens: 0 });
});

test('missing token counts are returned as undefined instead of 0', () => {
  expect(read(10, null)).toMatchObject({ promptTokens: 10, completionTokens: undefined });
  expect(read(undefined, 5)).toMatchObject({ promptTokens: undefined, completionTokens: 5 });
  expect(read(10, 0)).toMatchObject({ promptTokens: 10, completionTokens: 0 });
});

test.each([-5, 1.5, 1e30, Number.MAX_SAFE_INTEGER, '12', {}, true])(
  'an invalid count %j is ignored, so tokens are estimated',
  (count) => {
    expect(read(count, 3)).toBeUndefined();
    expect(read(3, count)).toBeUndefined();
  },
);

const BASE64 = 'iVBORw0KGgo=';

test.each([
  ['content', { role: 'assistant', content: 'attack' }],
  ['content parts', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'attack' }] }] }],
  ['a refusal', { refusal: 'attack' }],
  [
    'a custom tool',
    { tool_calls: [{ index: 0, id: 'call_1', type: 'custom', custom: { input: 'attack' } }] },
  ],
  [
    'a function',
    { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { arguments: 'attack' } }] },
  ],
  ['a function name', { tool_calls: [{ index: 0, function: { name: 'attack' } }] }],
  ['a legacy function call', { function_call: { arguments: 'attack' } }],
  ['reasoning', { reasoning_content: '', reasoning: 'attack', reasoning_details: [{ text: 'attack' }] }],
  ['reasoning details', { reasoning_details: [{ type: 'reasoning.text', text: 'attack', id: 'x' }] }],
  ['audio', { audio: { id: 'audio_1', data: BASE64, transcript: 'attack' } }],
])('model output is read and counted once: %s', (_what, delta) => {
  const chunk = { choices: [{ index: 0, delta }] } as never;
  const tally = createTally();
  tally.add(chunk);
  expect([messageText(delta), talliedText(chunk), tally.summary().outputLength]).toEqual([
    'attack',
    'attack',
    6,
  ]);
});

test('tool arguments are read together with their member names', () => {
  expect(
    messageText({ content: [{ type: 'server_tool_use', id: 'x', input: { data: 'one', id: ['two'] } }] }),
  ).toBe('{"data":"one","id":["two"]}');
});
