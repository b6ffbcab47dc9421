import { expect, test } from 'vitest';
import { createItemMeanings, meaningText } from '#manager/calls/item-meanings.ts';
import { SEARCH_KINDS } from '#manager/calls/search-kinds.ts';
import type { MeaningItem } from '#manager/meanings/meanings.ts';

const textOf = (item: Readonly<Record<string, unknown>>): string =>
  meaningText(SEARCH_KINDS.tools.texts('git', item));

test('the text of a tool has its name as words, its title, and parameters if the description is short', () => {
  const inputSchema = { properties: { branchName: { description: 'Name of\n the branch.' } } };
  expect(textOf({ name: 'createBranch', title: 'New branch', inputSchema })).toBe(
    'git create Branch. New branch. branchName Name of the branch.',
  );
  const long = textOf({ name: 'x', description: ` ${'word '.repeat(10_000)}`, inputSchema });
  expect(long).toBe(`git x. ${'word '.repeat(40)}`);
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
    ['git x', true],
  ]);
});
