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

test('on the maximum size, the turns that were used least recently are dropped', async () => {
  const memory = createToolMemory(2 * ('["ada","1"]'.length + '[]'.length));
  const found = async (...ids: string[]): Promise<string[]> => {
    const kept = await memory.find('ada', ids);
    return ids.filter((_id, at) => kept[at]);
  };
  await memory.keep('ada', turnsOf('1'));
  await memory.keep('ada', turnsOf('2'));
  await found('1');
  await memory.keep('ada', turnsOf('3'));
  expect(await found('1', '2', '3')).toEqual(['1', '3']);
  await memory.keep('ada', turnsOf('4', `["${'x'.repeat(100)}"]`));
  expect(await found('1', '3', '4')).toEqual(['1', '3']);
});
