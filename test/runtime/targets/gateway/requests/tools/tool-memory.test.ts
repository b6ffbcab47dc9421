import { expect, test } from 'vitest';
import { createToolMemory } from '#gateway/requests/tools/tool-memory.ts';

const turnsOf = (id: string, text = '') => ({ calls: [{ id }], turns: [{ text }] });

test('turns are found by the first call, and by the ID of its item, only for their owner', () => {
  const memory = createToolMemory();
  const turns = { calls: [{ id: 'call_1', itemId: 'fc_1' }, { id: 'call_2' }], turns: ['a turn'] };
  memory.keep('ada', turns);
  expect(memory.recallOf('ada')('call_1')).toBe(turns);
  expect(memory.recallOf('ada')('fc_1')).toBe(turns);
  expect(memory.recallOf('ada')('call_2')).toBeUndefined();
  expect(memory.recallOf('bob')('call_1')).toBeUndefined();
});

test('on the maximum size, the turns that were used least recently are dropped', () => {
  const size = JSON.stringify(turnsOf('1')).length;
  const memory = createToolMemory(2 * size);
  const recall = memory.recallOf('ada');
  memory.keep('ada', turnsOf('1'));
  memory.keep('ada', turnsOf('2'));
  recall('1');
  memory.keep('ada', turnsOf('3'));
  expect(['1', '2', '3'].filter((id) => recall(id))).toEqual(['1', '3']);
  memory.keep('ada', turnsOf('4', 'x'.repeat(2 * size)));
  expect(['1', '3', '4'].filter((id) => recall(id))).toEqual(['1', '3']);
});
