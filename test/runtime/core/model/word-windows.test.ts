import { expect, test } from 'vitest';
import { cutIntoWordWindows } from '#core/model/word-windows.ts';

test('a word belongs to the window that contains the most context for it', () => {
  const windows = cutIntoWordWindows(Array<number>(10).fill(1), { maxWords: 6, maxTokens: 100, stride: 4 });
  expect(windows).toEqual([
    { start: 0, stop: 6, ownFrom: 0, ownTo: 4 },
    { start: 2, stop: 8, ownFrom: 4, ownTo: 6 },
    { start: 4, stop: 10, ownFrom: 6, ownTo: 10 },
  ]);
});

test("a window has at most the model's maximum number of tokens, and a longer word gets a separate window", () => {
  const windows = cutIntoWordWindows([1, 1, 9, 2, 2, 2], { maxWords: 6, maxTokens: 5, stride: 1 });
  expect(windows.map(({ start, stop }) => [start, stop])).toEqual([
    [0, 2],
    [1, 2],
    [2, 3],
    [3, 5],
    [4, 6],
  ]);
  const owned = windows.flatMap(({ ownFrom, ownTo }) =>
    Array.from({ length: Math.max(0, ownTo - ownFrom) }, (_, at) => ownFrom + at),
  );
  expect(owned).toEqual([0, 1, 2, 3, 4, 5]);
});
