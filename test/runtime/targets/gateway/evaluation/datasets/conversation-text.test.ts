import { expect, test } from 'vitest';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import { withConversationText } from '#gateway/evaluation/datasets/conversation-text.ts';

test.each<[string, RowCells, string | null]>([
  ['the first turn', { turns: ['Hi', 'Bye'] }, 'Hi'],
  ['the first turn as an object', { turns: [{ user: 'Hi' }] }, 'Hi'],
  ['the first turn in CSV', { turns: '[{"user": "Hi"}]' }, 'Hi'],
  [
    'the last user message',
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'user', content: 'And?' },
      ],
    },
    'And?',
  ],
  ['the first part of a message', { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }, 'Hi'],
  ['nothing for a conversation without a user', { messages: [{ role: 'system', content: 'Hi' }] }, null],
  ['nothing for text that is not JSON', { messages: 'Hi', turns: '[' }, null],
])('the input of a row with only a conversation is %s', (_about, row, text) => {
  expect(withConversationText(row)).toEqual({ examples: text, ...row });
});

test('other rows are unchanged', () => {
  const rows: RowCells[] = [{ text: 'a' }, { examples: 'a', turns: ['b'] }, { examples: null, messages: [] }];
  for (const row of rows) expect(withConversationText(row)).toBe(row);
});
