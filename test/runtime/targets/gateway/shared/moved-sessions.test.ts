import { expect, test } from 'vitest';
import { MovedSessions } from '#gateway/shared/moved-sessions.ts';

const SESSION = { id: 'a', lifetimeMs: 1000 };

test('a session that moved stays until it was idle for its lifetime', () => {
  const moved = new MovedSessions();
  expect(moved.placeOf(SESSION, 'm', 0)).toBeUndefined();
  moved.served(SESSION, 'm', 'second', 'first', 0);
  expect(moved.placeOf(SESSION, 'm', 900)).toBe('second');
  moved.served(SESSION, 'm', 'second', 'first', 900);
  expect(moved.placeOf(SESSION, 'm', 1800)).toBe('second');
  expect(moved.placeOf(SESSION, 'm', 1900)).toBeUndefined();
});

test('a session that returned to its first choice is forgotten, and models move separately', () => {
  const moved = new MovedSessions();
  moved.served(SESSION, 'm', 'second', 'first', 0);
  moved.served(SESSION, 'n', 'third', 'first', 0);
  moved.served(SESSION, 'm', 'first', 'first', 1);
  expect(moved.placeOf(SESSION, 'm', 2)).toBeUndefined();
  expect(moved.placeOf(SESSION, 'n', 2)).toBe('third');
});

test('the number of moved sessions is limited', () => {
  const moved = new MovedSessions();
  for (let number = 0; number <= 10_000; number += 1)
    moved.served({ ...SESSION, id: String(number) }, 'm', 'second', 'first', 0);
  expect(moved.placeOf({ ...SESSION, id: '0' }, 'm', 1)).toBeUndefined();
  expect(moved.placeOf({ ...SESSION, id: '1' }, 'm', 1)).toBe('second');
});
