import { expect, test } from 'vitest';
import { createListFaults } from '#manager/supervisor/list-faults.ts';

const setup = () => {
  const warned: string[] = [];
  const faults = createListFaults(
    (text) => text.replaceAll('secret', '[redacted]'),
    (text) => void warned.push(text),
  );
  return { faults, warned };
};

test('each fault in a list is logged once, and the faults in the first page replace the known faults of that list', () => {
  const { faults, warned } = setup();
  faults.report('tools', ['a', 'a secret'], { isFirstPage: true });
  faults.report('prompts', ['b'], { isFirstPage: true });
  faults.report('prompts', ['c'], { isFirstPage: false });
  expect(faults.all()).toEqual(['a', 'a [redacted]', 'b', 'c']);
  faults.report('tools', ['a'], { isFirstPage: true });
  faults.report('prompts', [], { isFirstPage: true });
  expect(faults.all()).toEqual(['a']);
  expect(warned).toEqual(['a', 'a [redacted]', 'b', 'c']);
  faults.clear();
  expect(faults.all()).toEqual([]);
});

test('at most 20 faults are shown, and the remaining faults are counted', () => {
  const { faults, warned } = setup();
  const many = Array.from({ length: 50 }, (_, at) => `fault ${at}`);
  faults.report('tools', many, { isFirstPage: true });
  expect(faults.all()).toHaveLength(21);
  expect(faults.all().at(-1)).toBe('30 more items are omitted');
  expect(warned).toHaveLength(21);
});
