import { expect, test } from 'vitest';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import { readConversation } from '#gateway/evaluation/work/conversations/read-conversation.ts';
import { mergePatch } from '#gateway/evaluation/work/conversations/scripted-tools.ts';
import { finalNumber } from '#gateway/evaluation/work/conversations/answer-checks.ts';

const deepSchema = (): object => JSON.parse(`${'{"not":'.repeat(3000)}{}${'}'.repeat(3000)}`) as object;
const tools = [{ name: 'search' }];

test.each<[string, RowCells, string]>([
  ['a text in place of a list', { turns: 'a' }, '`turns` must be a list, not "a".'],
  ['no turns', { turns: [] }, '`turns` is empty. Add a turn, or remove the column.'],
  [
    'too many turns',
    { turns: Array.from({ length: 51 }, () => 'a') },
    '`turns` has 51 entries; the maximum is 50.',
  ],
  [
    'a misspelled member',
    { turns: [{ user: 'a', expect: 1 }] },
    '`turns` has the unknown member "expect". Members: user, expected_calls, call_order, forbidden_calls, checks, expected_state.',
  ],
  [
    'a turn without a text',
    { turns: [{ checks: [] }] },
    '`turns.user` must be a non-empty string, not undefined.',
  ],
  [
    'an unknown role',
    { messages: [{ role: 'robot', content: '' }] },
    'The role in `messages` must be system, user, assistant or tool, not "robot".',
  ],
  [
    'an image',
    { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
    'The content of a message must be a text, not [{"type":"image_url"}].',
  ],
  [
    'a result without its call',
    { messages: [{ role: 'tool', content: '', tool_call_id: 'x' }] },
    '`messages` has a result for the call "x", which no earlier message contains.',
  ],
  [
    'two last user messages',
    { messages: [{ role: 'user', content: 'a' }], turns: ['b'] },
    '`messages` ends with a user message and the row has `turns`. Move the message to `turns`.',
  ],
  [
    'an unknown order',
    { call_order: 'random' },
    '`call_order` must be one of ordered, unordered, prefix, subset, superset, not "random".',
  ],
  [
    'an unknown comparison',
    { expected_calls: [{ name: 'a', arguments: {}, match: 'constructor' }] },
    '`expected_calls.match` must be one of exact, subset, schema, options, not "constructor".',
  ],
  [
    'an expected call of a missing tool',
    { tools, expected_calls: [{ name: 'find' }] },
    'The row has no tool "find", which it expects or has a result for. Tools: search.',
  ],
  [
    'a result of a missing tool',
    { tools, tool_results: { find: 1 } },
    'The row has no tool "find", which it expects or has a result for. Tools: search.',
  ],
  [
    'a tool without a name',
    { tools: [{ type: 'function' }] },
    '`tools.name` must be a non-empty string, not undefined.',
  ],
  [
    'a schema that is too large',
    { expected_calls: [{ name: 'a', arguments: deepSchema(), match: 'schema' }] } as RowCells,
    'The JSON Schema in `arguments` has more than 2000 values.',
  ],
  [
    'two conditions in one check',
    { checks: [{ contains: 'a', regex: 'b' }] },
    'Each entry of `checks` must have exactly one of equals, contains, not_contains, regex, not_regex, json_schema, number, choice, instruction, not {"contains":"a","regex":"b"}.',
  ],
  [
    'a pattern that could block',
    { checks: [{ regex: '(?=a)' }] },
    '`checks.regex` is invalid: The pattern cannot be matched in linear time. Lookahead, lookbehind and \\p{…} are not supported.',
  ],
  [
    'a long pattern',
    { checks: [{ regex: 'a'.repeat(1001) }] },
    '`checks.regex` has 1001 characters; the maximum is 1000.',
  ],
  [
    'a text in place of a number',
    { checks: [{ number: '7' }] },
    '`checks.number` must be a number, not "7".',
  ],
  ['too many steps', { max_steps: 51 }, '`max_steps` must be a whole number from 1 to 50, not 51.'],
])('%s is rejected', (_about, row, message) => {
  expect(() => readConversation({ examples: 'x', ...row })).toThrow(message);
});

test('a row with only a text is a conversation of one turn', () => {
  expect(readConversation({ examples: 'Hi', ground_truth: 'Hello' })).toMatchObject({
    history: [],
    turns: [{ user: 'Hi' }],
    tools: undefined,
    results: undefined,
    maxSteps: 10,
  });
});

test('a conversation can end with a tool result, after which the model continues', () => {
  const call = { id: '1', type: 'function', function: { name: 'search', arguments: {} } };
  const messages = [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: '1', content: 'ok' },
  ];
  const { history, turns } = readConversation({ examples: 'x', messages });
  expect(turns).toMatchObject([{ user: undefined }]);
  expect(history[0]?.tool_calls).toEqual([{ ...call, function: { name: 'search', arguments: '{}' } }]);
});

// The examples are those of RFC 7396, appendix A.
test.each<[unknown, unknown, unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('the state %j with the patch %j is %j', (target, patch, expected) => {
  expect(mergePatch(target, patch)).toEqual(expected);
});

test('the members of a patch cannot change the prototype', () => {
  const merged = mergePatch({}, JSON.parse('{"__proto__": {"admin": true}}'));
  expect((merged as { admin?: boolean }).admin).toBeUndefined();
  expect(Object.hasOwn(merged as object, '__proto__')).toBe(true);
});

test.each([
  ['The result is 1,234.50.', 1234.5],
  ['#### -7', -7],
  ['3 apples and 4 pears', 4],
  ['#### 5, not 6', 5],
  ['none', undefined],
])('the final number in %j is %j', (text, number) => {
  expect(finalNumber(text)).toBe(number);
});
