import { expect, test } from 'vitest';
import { promptForInstruction, promptsWithTask, withInstruction } from '#core/model/instruction.ts';

// The prompts of models on the Hugging Face Hub.
test.each([
  [
    'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
    'Instruct: T\nQuery:',
  ],
  ['Instruct: Retrieve semantically similar text.\nQuery: ', 'Instruct: T\nQuery: '],
  ['<instruct>Given a query, retrieve passages.\n<query>', '<instruct>T\n<query>'],
  ['task: search result | query: ', 'task: T | query: '],
])('%j has a task', (prompt, expected) => {
  expect(withInstruction(prompt, 'T')).toBe(expected);
  // The instruction is not a replacement pattern.
  expect(withInstruction(prompt, '$1')).toBe(expected.replace('T', () => '$1'));
});

test.each([
  '',
  'query: ',
  'search_query: ',
  'title: none | text: ',
  'Instruct: \nQuery: ',
  'Represent this sentence for searching relevant passages: ',
  'Instruct: a task without a query',
])('%j has no task', (prompt) => {
  expect(withInstruction(prompt, 'T')).toBeUndefined();
});

test('the default prompt, then query, then the first prompt with a task is used', () => {
  const task = { text: 'Instruct: a\nQuery: ' };
  expect(promptsWithTask({ a: task, document: { text: '' }, query: task })).toEqual(['a', 'query']);
  expect(promptForInstruction({ a: task, b: task, query: task }, 'b')).toBe('b');
  expect(promptForInstruction({ a: task, query: task }, 'document')).toBe('query');
  expect(promptForInstruction({ b: task, a: task }, undefined)).toBe('b');
  expect(promptForInstruction({ query: { text: 'query: ' } }, 'query')).toBeUndefined();
});
