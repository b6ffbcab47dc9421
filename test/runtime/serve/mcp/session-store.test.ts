import { expect, test } from 'vitest';
import { createSessionStore, type SessionStore } from '#serve/mcp/session-store.ts';
import { manualClock } from './manual-clock.ts';

function open(max: number): {
  store: SessionStore<string>;
  clock: ReturnType<typeof manualClock>;
  dropped: string[];
} {
  const clock = manualClock();
  const dropped: string[] = [];
  const store = createSessionStore<string>({
    max,
    idleMilliseconds: 1000,
    clock,
    onDrop: (value) => dropped.push(value),
  });
  return { store, clock, dropped };
}

test('when full, the least recently used session is removed', () => {
  const { store, dropped } = open(3);
  for (const id of ['a', 'b', 'c']) expect(store.add(id, id)).toBe(true);
  store.enter('a')();
  expect(store.add('d', 'd')).toBe(true);
  expect(dropped).toEqual(['b']);
  expect(store.values()).toEqual(['c', 'a', 'd']);
});

test('sessions in use are never removed', () => {
  const { store, clock, dropped } = open(2);
  store.add('a', 'a');
  store.add('b', 'b');
  const [leaveA, leaveAgain] = [store.enter('a'), store.enter('a')];
  const leaveB = store.enter('b');
  expect(store.add('c', 'c')).toBe(false);
  clock.advance(5000);
  expect(dropped).toEqual([]);
  leaveA();
  leaveA();
  expect(store.add('c', 'c')).toBe(false);
  leaveAgain();
  expect(store.add('c', 'c')).toBe(true);
  expect(dropped).toEqual(['a']);
  leaveB();
  expect(store.get('b')).toBe('b');
});

test('idle sessions expire, even between two checks', () => {
  const { store, clock, dropped } = open(10);
  store.add('a', 'a');
  clock.advance(600);
  store.add('b', 'b');
  store.enter('a')();
  clock.advance(600);
  expect(dropped).toEqual([]);
  clock.advance(500);
  expect(store.get('a')).toBeUndefined();
  expect(store.get('b')).toBeUndefined();
  expect(dropped.toSorted()).toEqual(['a', 'b']);
  expect(store.size).toBe(0);
});

test('a session that was closed while in use is not restored', () => {
  const { store, clock } = open(2);
  store.add('a', 'a');
  const leave = store.enter('a');
  store.delete('a');
  leave();
  expect(store.get('a')).toBeUndefined();
  store.stop();
  expect(clock.timers).toBe(0);
});
