import { describe, expect, test } from 'vitest';
import { cutPage, type ListedItem, readCursor } from '#manager/mcp/page-cursor.ts';

const items = (...names: string[]): ListedItem[] =>
  names.map((name) => ({ server: name.slice(0, 1), key: name, item: { name } }));
const keys = (listed: readonly ListedItem[]): string[] => listed.map(({ key }) => key);

describe('pages of a list', () => {
  const all = items('a1', 'a2', 'b1', 'c1', 'c2');
  const first = cutPage(all, undefined, 2);
  const after = readCursor(first.nextCursor);

  test('a cursor continues after the previous page', () => {
    expect(keys(first.items)).toEqual(['a1', 'a2']);
    expect(keys(cutPage(all, after, 2).items)).toEqual(['b1', 'c1']);
    expect(cutPage(all, after, 3)).toMatchObject({ nextCursor: undefined });
  });

  test.each([
    ['a server was added before the cursor', items('a1', 'a2', 'a3', 'b1'), ['a3', 'b1']],
    ['its server was removed', items('b1', 'c1'), ['b1', 'c1']],
    ['its item was removed', items('a1', 'a4', 'b1'), ['a4', 'b1']],
    ['everything after it was removed', items('a1', 'a2'), []],
  ])('a cursor continues when %s', (_what, now, expected) => {
    expect(keys(cutPage(now, after, 5).items)).toEqual(expected);
  });

  test('paging ends even if a server has duplicate names', () => {
    const twice = items('a1', 'a1', 'a2');
    const second = cutPage(twice, readCursor(cutPage(twice, undefined, 1).nextCursor), 1);
    expect(keys(cutPage(twice, readCursor(second.nextCursor), 1).items)).toEqual(['a2']);
  });
});

test.each(['', 'bogus', Buffer.from('[1,2]').toString('base64url')])('rejects the cursor %j', (text) => {
  expect(() => readCursor(text)).toThrow('nextCursor');
});
