import { expect, test } from 'vitest';
import { splitWords } from '#core/text/split-words.ts';

const words = (text: string): string[] => {
  const offsets = splitWords(text);
  return Array.from({ length: offsets.length / 2 }, (_, at) =>
    text.slice(offsets[at * 2], offsets[at * 2 + 1]),
  );
};

test.each([
  ['state-of-the-art e_mail -x- $1,000.50', 'state-of-the-art|e_mail|-|x|-|$|1|,|000|.|50'],
  ['naïve 東京 🙂', 'naïve|東京|🙂'],
  // In Python, combining marks are not letters, and ½ and ² are digits.
  ['नमस्ते ½x²', 'नमस|\u094d|त|\u0947|½x²'],
  // White space in Python but not in JavaScript, and vice versa.
  ['a\u001cb\u0085c\ufeffd', 'a|b|c|\ufeff|d'],
  [' \t\n', ''],
])('%j is split into the same words as in Python', (text, wanted) => {
  expect(words(text).join('|')).toBe(wanted);
});

test('splitting stops at the maximum number of words', () => {
  expect(splitWords('a b c', 2)).toEqual([0, 1, 2, 3]);
});
