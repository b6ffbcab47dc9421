import { expect, test } from 'vitest';
import { createEventLog } from '#serve/mcp/event-log.ts';

test('a stream returns its events after a given number', () => {
  const log = createEventLog(100);
  const [one, other] = [log.open(), log.open()];
  expect([one.add('a'), other.add('b'), one.add('c')]).toEqual([1, 1, 2]);
  expect(one.after(0)).toEqual([
    { number: 1, json: 'a' },
    { number: 2, json: 'c' },
  ]);
  expect(one.after(1)).toEqual([{ number: 2, json: 'c' }]);
  expect([one.last, other.last]).toEqual([2, 1]);
});

test('when the log is full, the oldest events are dropped, regardless of their stream', () => {
  const log = createEventLog(5);
  const [one, other] = [log.open(), log.open()];
  one.add('11');
  other.add('22');
  one.add('33');
  expect(log.characters).toBe(4);
  expect([one.after(0), other.after(0)]).toEqual([[{ number: 2, json: '33' }], [{ number: 1, json: '22' }]]);
  other.add('too long to keep');
  expect([one.after(0), other.after(0), log.characters]).toEqual([[], [], 0]);
  expect(other.last).toBe(2);
});

test('a removed stream uses no memory', () => {
  const log = createEventLog(100);
  const stream = log.open();
  stream.add('abc');
  stream.forget();
  expect([log.characters, stream.after(0)]).toEqual([0, []]);
});
