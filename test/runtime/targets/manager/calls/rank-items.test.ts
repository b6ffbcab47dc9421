import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rankItems } from '#manager/calls/rank-items.ts';
import type { FoundItem } from '#manager/calls/search-kinds.ts';

const ITEMS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name): FoundItem => ({
  server: 's',
  list: 'tools',
  item: { name },
}));
const at = (index: number): FoundItem => {
  const found = ITEMS[index];
  if (!found) throw new Error(`no item ${index}`);
  return found;
};
const names = (found: readonly FoundItem[]): string => found.map(({ item }) => String(item['name'])).join('');
const FLAT = ITEMS.map(() => 0.5);
const like = (index: number): number[] => FLAT.map((value, other) => (other === index ? 0.9 : value));

test('an item without words of the query is found if its meaning is much closer than that of others', () => {
  const matches = [{ found: at(0), score: 12 }];
  expect(names(rankItems({ items: ITEMS, matches, similarities: like(3), words: 6 }))).toBe('da');
  expect(names(rankItems({ items: ITEMS, matches: [], similarities: like(3), words: 6 }))).toBe('d');
  expect(names(rankItems({ items: ITEMS, matches: [], similarities: FLAT, words: 6 }))).toBe('');
});

test('for a query of one word, the best match by words comes first', () => {
  const matches = [{ found: at(0), score: 12 }];
  expect(names(rankItems({ items: ITEMS, matches, similarities: like(3), words: 1 }))).toBe('ad');
});

test('an item without a vector keeps its place among the matches by words', () => {
  const matches = [
    { found: at(1), score: 9 },
    { found: at(0), score: 8 },
  ];
  const similarities = like(3).map((value, index) => (index === 1 ? undefined : value));
  expect(names(rankItems({ items: ITEMS, matches, similarities, words: 6 }))).toBe('dba');
});

test('each item is returned at most once, and every match by words is returned', () => {
  const score = fc.double({ min: 0.001, max: 1000, noNaN: true });
  const similarity = fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(7), score), { maxLength: 8 }),
      fc.array(similarity, { minLength: 8, maxLength: 8 }),
      fc.integer({ min: 0, max: 20 }),
      (pairs, similarities, words) => {
        const byItem = new Map(pairs.map(([index, value]) => [at(index), value]));
        const matches = [...byItem]
          .map(([found, value]) => ({ found, score: value }))
          .toSorted((one, other) => other.score - one.score);
        const ranked = rankItems({ items: ITEMS, matches, similarities, words });
        expect(new Set(ranked).size).toBe(ranked.length);
        expect(ranked).toEqual(expect.arrayContaining(matches.map(({ found }) => found)));
      },
    ),
  );
});
