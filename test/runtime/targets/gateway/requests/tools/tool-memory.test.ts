import { expect, test } from 'vitest';
import { createToolMemory } from '#gateway/requests/tools/tool-memory.ts';

const turnsOf = (id: string, turns = '[]') => ({ calls: [{ id }], turns });

test('turns are found by the first call, and by the ID of its item, only for their owner', async () => {
  const memory = createToolMemory();
  const kept = { calls: [{ id: 'call_1', itemId: 'fc_1' }, { id: 'call_2' }], turns: '["a turn"]' };
  await memory.keep('ada', kept);
  expect(await memory.find('ada', ['call_1', 'fc_1', 'call_2'])).toEqual([kept, kept, undefined]);
  expect(await memory.find('bob', ['call_1'])).toEqual([undefined]);
});

/** Size of a kept turn of these tests. */
const SIZE = '["ada","1"]'.length + '[]'.length;

test('on the maximum size, the turns that were used least recently are dropped', async () => {
  const memory = createToolMemory(8 * SIZE);
  const owners = ['aaa', 'bbb', 'ccc', 'ddd', 'eee', 'fff', 'ggg', 'hhh', 'iii'];
  const found = async (): Promise<string[]> => {
    const kept = await Promise.all(owners.map(async (owner) => (await memory.find(owner, ['1']))[0]));
    return owners.filter((_owner, at) => kept[at]);
  };
  for (const owner of owners.slice(0, 8)) await memory.keep(owner, turnsOf('1'));
  expect(await found()).toEqual(owners.slice(0, 8));
  await memory.find('aaa', ['1']);
  await memory.keep('iii', turnsOf('1'));
  expect(await found()).toEqual(owners.filter((owner) => owner !== 'bbb'));
});

test('a user with many or long turns only displaces own ones', async () => {
  const memory = createToolMemory(16 * SIZE);
  const found = async (owner: string, ...ids: string[]): Promise<string[]> => {
    const kept = await memory.find(owner, ids);
    return ids.filter((_id, at) => kept[at]);
  };
  await memory.keep('bob', turnsOf('1'));
  for (const id of '123') await memory.keep('ada', turnsOf(id));
  expect(await found('ada', '1', '2', '3')).toEqual(['2', '3']);
  await found('ada', '2');
  await memory.keep('ada', turnsOf('4'));
  expect(await found('ada', '2', '3', '4')).toEqual(['2', '4']);
  await memory.keep('ada', turnsOf('5', `["${'x'.repeat(100)}"]`));
  expect(await found('ada', '2', '4', '5')).toEqual([]);
  expect(await found('bob', '1')).toEqual(['1']);
});
