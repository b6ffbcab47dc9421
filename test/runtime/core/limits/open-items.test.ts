import { expect, test } from 'vitest';
import { OpenItems } from '#core/limits/open-items.ts';

test('returns the open items in insertion order', () => {
  const items = new OpenItems<string | number, string>();
  items.set('a', 'one');
  items.set(1, 'two');
  items.set('1', 'three');
  items.delete(1);
  items.delete('nothing');
  expect([items.size, items.get('a'), items.get(1), items.get('1')]).toEqual([2, 'one', undefined, 'three']);
  expect([items.keys(), items.values()]).toEqual([
    ['a', '1'],
    ['one', 'three'],
  ]);
  items.set('a', 'again');
  expect(items.values()).toEqual(['again', 'three']);
});
