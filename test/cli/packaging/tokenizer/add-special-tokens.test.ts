import { expect, test } from 'vitest';
import { withoutAddedTokens, withSpecialTokens } from '#cli/packaging/tokenizer/add-special-tokens.ts';

const TOKENS = { tokens: ['[FLERT]', '<<ENT>>', '<<SEP>>'], required: ['<<ENT>>', '<<SEP>>'] };
const addedTo = (json: object): unknown[] => {
  const { added_tokens } = withSpecialTokens(json, TOKENS) as {
    added_tokens: { id: number; content: string }[];
  };
  return added_tokens.map(({ id, content }) => [content, id]);
};

test('tokens get the ids after the vocabulary and the added tokens', () => {
  const ours = [
    ['[FLERT]', 2],
    ['<<ENT>>', 3],
    ['<<SEP>>', 4],
  ];
  expect(addedTo({ model: { vocab: { a: 0, b: 1 } } })).toEqual(ours);
  expect(
    addedTo({
      model: {
        vocab: [
          ['a', 0],
          ['b', -1],
        ],
      },
      added_tokens: null,
    }),
  ).toEqual(ours);
  expect(
    addedTo({ model: { vocab: { a: 0 } }, added_tokens: [{ id: 7, content: '[MASK]' }] }).slice(1),
  ).toEqual([
    ['[FLERT]', 8],
    ['<<ENT>>', 9],
    ['<<SEP>>', 10],
  ]);
});

test('added tokens are removed by their text', () => {
  const json = {
    model: { vocab: { a: 0 } },
    added_tokens: [{ id: 1, content: 'b' }, { id: 2, content: 'c' }, 'x'],
  };
  expect(withoutAddedTokens(json, ['c', 'a'])).toEqual({
    ...json,
    added_tokens: [{ id: 1, content: 'b' }, 'x'],
  });
  expect(withoutAddedTokens(json, [])).toBe(json);
  const damaged = { added_tokens: 'c' };
  expect(withoutAddedTokens(damaged, ['c'])).toBe(damaged);
});

test('tokens in the vocabulary keep their ids', () => {
  expect(addedTo({ model: { vocab: { '<<ENT>>': 0, b: 1 } } })).toEqual([
    ['[FLERT]', 2],
    ['<<ENT>>', 0],
    ['<<SEP>>', 3],
  ]);
  expect(addedTo({ model: { vocab: [['<<SEP>>', 0]] } }).at(-1)).toEqual(['<<SEP>>', 0]);
});

test('a tokenizer with the required tokens is not changed', () => {
  const json = { model: { vocab: { a: 0, '<<SEP>>': 1 } }, added_tokens: [{ id: 2, content: '<<ENT>>' }] };
  expect(withSpecialTokens(json, TOKENS)).toBe(json);
});

test('malformed tokenizers do not cause an error here', () => {
  for (const model of [undefined, null, { vocab: 7 }, { vocab: [7, null, []] }])
    expect(
      withSpecialTokens({ model, added_tokens: [null, 7, { id: 'x' }] }, TOKENS).added_tokens,
    ).toHaveLength(6);
});
