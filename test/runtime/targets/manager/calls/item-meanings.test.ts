import { expect, test } from 'vitest';
import { createItemMeanings, meaningTexts } from '#manager/calls/item-meanings.ts';
import { SEARCH_KINDS } from '#manager/calls/search-kinds.ts';
import type { MeaningItem } from '#manager/meanings/meanings.ts';

const textsOf = (item: Readonly<Record<string, unknown>>): readonly string[] =>
  meaningTexts(SEARCH_KINDS.tools.texts('git', item));
const textOf = (item: Readonly<Record<string, unknown>>): string | undefined => textsOf(item)[0];

test('the text of a tool has its name as words, its title, and parameters if the description is short', () => {
  const inputSchema = { properties: { branchName: { description: 'Name of\n the branch.' } } };
  expect(textOf({ name: 'createBranch', title: 'New branch', inputSchema })).toBe(
    'git create Branch. New branch. branchName Name of the branch.',
  );
  const long = textOf({ name: 'x', description: ` ${'word '.repeat(10_000)}`, inputSchema });
  expect(long).toBe(`git x. ${'word '.repeat(40)}`);
});

test('the first sentence of the description is a text of its own', () => {
  const description = ' 1. Lists\n all branches. Then more.';
  expect(textsOf({ name: 'x', description })).toEqual([
    'git x. 1. Lists all branches. Then more.',
    'Lists all branches.',
  ]);
  const sentenceOf = (text: string): string | undefined => textsOf({ name: 'x', description: text })[1];
  expect(sentenceOf('Lists branches: - local - remote')).toBe('Lists branches:');
  expect(sentenceOf('ブランチを一覧表示します。次に')).toBe('ブランチを一覧表示します。');
  expect(sentenceOf('Short. Too.')).toBe('Short. Too.');
  expect(sentenceOf('a'.repeat(1000))).toBe('a'.repeat(300));
  expect(sentenceOf(' ')).toBe('git x');
});

test('values of other types than text are ignored', () => {
  expect(textOf({ name: 5, title: null, description: ['x'], inputSchema: 'x' })).toBe('git');
});

test('items of servers with a connection per user are not shared', () => {
  const learned: MeaningItem[] = [];
  const items = createItemMeanings(
    {
      learn: (all) => void learned.push(...all),
      similarities: () => Promise.resolve(undefined),
      settled: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    (server) => server === 'personal',
  );
  const found = ['personal', 'git'].map((server) => ({
    server,
    list: 'tools' as const,
    item: { name: 'x' },
  }));
  items.learn(found, SEARCH_KINDS.tools.texts);
  expect(learned.map(({ text, isShared }) => [text, isShared])).toEqual([
    ['personal x', false],
    ['personal x', false],
    ['git x', true],
    ['git x', true],
  ]);
});

test('the similarity of an item is the mean of the standard scores of its texts', async () => {
  const found = ['a', 'b', 'c'].map((name) => ({ server: 'git', list: 'tools' as const, item: { name } }));
  const similarities = async (all: readonly (number | undefined)[]): Promise<unknown> => {
    const parts = {
      learn: () => undefined,
      settled: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    const items = createItemMeanings({ ...parts, similarities: () => Promise.resolve(all) }, () => false);
    return await items.similarities('query', found, SEARCH_KINDS.tools.texts);
  };
  // The range of the second text is ten times as large, but has the same weight.
  const [a, b, c] = (await similarities([0.1, 3, 0.2, 2, 0.3, 1])) as number[];
  expect([a, b, c]).toEqual([expect.closeTo(0), expect.closeTo(0), expect.closeTo(0)]);
  // Only one of the vectors of the last item is known.
  expect(await similarities([0, 0, 0, undefined, 1, undefined])).toEqual([
    expect.closeTo(-Math.SQRT1_2),
    expect.closeTo(-Math.SQRT1_2),
    expect.closeTo(Math.SQRT2),
  ]);
  expect(await similarities([0, 0, undefined, undefined, 1, 1])).toEqual([-1, undefined, 1]);
});
