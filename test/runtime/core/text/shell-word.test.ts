import { expect, test } from 'vitest';
import { shellWord } from '#core/text/shell-word.ts';
import { listedSteps } from '#manager/commands/add-steps.ts';

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['./a/b_c.encoder', './a/b_c.encoder'],
  ['', "''"],
  ['a b', "'a b'"],
  ["it's", String.raw`'it'\''s'`],
  ['a>b', "'a>b'"],
  ['$(id)', "'$(id)'"],
])('%j is quoted as one shell word: %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});

test.each([
  ['<value>', 'X=<value>'],
  ['>/tmp/file', "'X=>/tmp/file'"],
  ['<a>b', "'X=<a>b'"],
])(
  'a placeholder at the end of a header stays readable, and other redirections are quoted: %s',
  (form, word) => {
    const listed = { headers: [['X', form]] } as unknown as Parameters<typeof listedSteps>[1];
    expect(listedSteps('one', listed, {}, {})).toContain(`config headers set one ${word}\``);
  },
);
