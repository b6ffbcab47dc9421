import { expect, test } from 'vitest';
import { ItemIndex } from '#manager/calls/search.ts';
import { type FoundItem, SEARCH_KINDS } from '#manager/calls/search-kinds.ts';

const tool = (name: string): FoundItem => ({ server: 's', list: 'tools', item: { name } });
const namesOf = (found: readonly FoundItem[]): unknown[] => found.map(({ item }) => item['name']);

test('an updated index finds new items and no longer finds removed items', async () => {
  const index = new ItemIndex(SEARCH_KINDS.tools.texts);
  const [first, second, third] = [tool('getWeather'), tool('get_time'), tool('set_time')];
  const before = [first, second];
  index.update(before);
  expect(index.has([...before])).toBe(true);
  expect(index.has([first])).toBe(false);
  expect(namesOf(await index.find('time', 5, before))).toEqual(['get_time']);
  const after = [first, third];
  index.update(after);
  expect(namesOf(await index.find('time', 5, after))).toEqual(['set_time']);
  expect(namesOf(await index.find('wether', 5, after))).toEqual(['getWeather']);
});

test('a search returns only items of its own caller, even if the index is updated for another caller during the search', async () => {
  const index = new ItemIndex(SEARCH_KINDS.tools.texts);
  const own = [tool('get_time')];
  index.update(own);
  const finding = index.find('time', 5, own);
  index.update([...own, tool('secret_time')]);
  expect(namesOf(await finding)).toEqual(['get_time']);
  expect(namesOf(await index.find('time', 5, own))).toEqual(['get_time']);
});
