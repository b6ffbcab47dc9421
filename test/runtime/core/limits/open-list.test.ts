import { describe, expect, test } from 'vitest';
import { OpenList } from '#core/limits/open-list.ts';

describe('OpenList', () => {
  test.each([
    [[0], ['b', 'c']],
    [[1], ['a', 'c']],
    [[2], ['a', 'b']],
    [[0, 1], ['c']],
    [[2, 1, 0], []],
    [
      [1, 1, 1],
      ['a', 'c'],
    ],
    [[0, 0, 2, 2], ['b']],
  ])('after deleting the entries %j, %j are left', (places, left) => {
    const list = new OpenList<string>();
    const entries = ['a', 'b', 'c'].map((item) => list.add(item));
    for (const place of places) {
      const entry = entries[place];
      if (entry) list.delete(entry);
    }
    expect(list.items()).toEqual(left);
    expect(list.size).toBe(left.length);
    list.add('d');
    expect(list.items()).toEqual([...left, 'd']);
  });

  test('deleting the only entry twice leaves a later one in the list', () => {
    const list = new OpenList<string>();
    const only = list.add('a');
    list.delete(only);
    list.add('b');
    list.delete(only);
    expect(list.items()).toEqual(['b']);
  });
});
