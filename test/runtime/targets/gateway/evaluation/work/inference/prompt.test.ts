import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import {
  checkFewShot,
  checkTemplate,
  generationFor,
  messagesFor,
} from '#gateway/evaluation/work/inference/prompt.ts';

const PROMPT = { systemPrompt: 'Be short.', prompt: '{{ source }}: {{examples}} {{x} $& {{list}}' };

test('rows and examples fill the template, and row text is never treated as a placeholder', () => {
  const row = { examples: '{{source}} $1', source: 'Blog', list: ['a'], ground_truth: 'no' };
  const example = { examples: 'Hi', source: 'Mail', list: [], ground_truth: ['A', 'B'] };
  expect(messagesFor(row, { ...PROMPT, fewShot: [example] })).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Mail: Hi {{x} $& []' },
    { role: 'assistant', content: '["A","B"]' },
    { role: 'user', content: 'Blog: {{source}} $1 {{x} $& ["a"]' },
  ]);
  expect(messagesFor(row, { systemPrompt: '' })).toEqual([{ role: 'user', content: '{{source}} $1' }]);
});

const CONVERSATION = [
  { role: 'developer', content: 'Be kind.' },
  { role: 'user', content: 'Hi' },
];

test('a conversation replaces the text of a row, unless there is a template', () => {
  const row = { examples: 'Hi', messages: CONVERSATION };
  expect(messagesFor(row, { systemPrompt: '' })).toEqual(CONVERSATION);
  expect(messagesFor(row, { systemPrompt: 'Be short.' })).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hi' },
  ]);
  // In CSV, lists are JSON.
  expect(messagesFor({ ...row, messages: JSON.stringify(CONVERSATION) }, { systemPrompt: '' })).toEqual(
    CONVERSATION,
  );
  expect(messagesFor(row, { systemPrompt: '', prompt: 'Say {{examples}}' })).toEqual([
    { role: 'user', content: 'Say Hi' },
  ]);
  for (const messages of ['text', [], [{ content: 'no role' }], null])
    expect(messagesFor({ ...row, messages }, { systemPrompt: '' })).toEqual([
      { role: 'user', content: 'Hi' },
    ]);
});

test('the tools of a conversation are offered, unless the workflow has its own', () => {
  const tools = [{ type: 'function', function: { name: 'find' } }];
  const row = { examples: 'Hi', messages: CONVERSATION, tools };
  expect(generationFor(row, { generation: { temperature: 0 } })).toEqual({ temperature: 0, tools });
  const own = { tools: [{ type: 'function', function: { name: 'own' } }] };
  expect(generationFor(row, { generation: own })).toBe(own);
  expect(generationFor({ ...row, tools: null }, { generation: {} })).toEqual({});
  expect(generationFor({ examples: 'Hi', tools }, { generation: {} })).toEqual({});
  expect(generationFor(row, { generation: {}, prompt: '{{examples}}' })).toEqual({});
});

const messageOf = (check: () => void): string => {
  try {
    check();
  } catch (error) {
    return AppError.from(error).message;
  }
  return '';
};

test.each([
  ['{{examples}} {{source}}', ''],
  [
    '{{sorce}}',
    'The prompt contains {{sorce}}, but the dataset has no such column; did you mean `source`? Columns: examples, source, ground_truth.',
  ],
  [
    '{{examples}}{{ground_truth}}',
    'The prompt contains {{ground_truth}}, which would show the model the answer. Remove it.',
  ],
  [
    'Hello',
    'The prompt contains no column, so it would be the same for all rows. Add a column, e.g. {{examples}}.',
  ],
])('a template that does not match the dataset is rejected: %s', (prompt, message) => {
  const columns = ['examples', 'source', 'ground_truth'];
  expect(messageOf(() => checkTemplate({ systemPrompt: '', prompt }, columns))).toBe(message);
});

test('a few-shot example must have a ground truth and every column that the prompt uses', () => {
  const check = (fewShot: object): string =>
    messageOf(() => checkFewShot({ systemPrompt: '', prompt: '{{source}}', fewShot: [fewShot as never] }));
  expect(check({ source: 'Mail', ground_truth: 'A' })).toBe('');
  expect(check({ source: 'Mail' })).toContain('Example 1 has no `ground_truth`.');
  expect(check({ examples: 'x', ground_truth: 'A' })).toContain('Example 1 has no `source`.');
});
