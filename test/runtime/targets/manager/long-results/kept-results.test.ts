import { expect, test } from 'vitest';
import { createKeptResults, type KeptPart } from '#manager/long-results/kept-results.ts';
import { handClock } from '#test/helpers/hand-clock.ts';

const LIMITS = { total: 100, perKey: 50, partsPerKey: 3, unusedMs: 1000 };
const part = (size: number, data = 'text'): KeptPart => ({
  sources: [{ server: 's', kind: 'tool', name: 't' }],
  data,
  size,
});
const owner = (key: string, session?: object, path = '') => ({ key, session, path });

test('only the owner can read a part: the same client in the same session', () => {
  const kept = createKeptResults(handClock(), LIMITS);
  const session = {};
  const id = String(kept.keep(owner('ann', session), part(1)));
  expect(kept.read(owner('ann', session), id)).toMatchObject({ data: 'text' });
  for (const other of [
    owner('bob', session),
    owner('ann', {}),
    owner('ann'),
    owner(''),
    owner('ann', session, 'x'),
  ]) {
    expect(kept.read(other, id)).toBeUndefined();
  }
  expect(kept.read(owner('ann', session), 'constructor')).toBeUndefined();
  kept.drop(session);
  expect(kept.read(owner('ann', session), id)).toBeUndefined();
});

test('IDs cannot be guessed', () => {
  const kept = createKeptResults(handClock(), { ...LIMITS, partsPerKey: 1000 });
  const ids = new Set(Array.from({ length: 50 }, () => kept.keep(owner('ann'), part(0))));
  expect(ids.size).toBe(50);
  for (const id of ids) expect(id).toMatch(/^[\w-]{24}$/);
});

test('parts expire after a time without access', () => {
  const clock = handClock();
  const kept = createKeptResults(clock, LIMITS);
  const id = String(kept.keep(owner('ann'), part(1)));
  clock.pass(999);
  expect(kept.read(owner('ann'), id)).toBeDefined();
  clock.pass(999);
  expect(kept.read(owner('ann'), id)).toBeDefined();
  clock.pass(1000);
  expect(kept.read(owner('ann'), id)).toBeUndefined();
});

test('the size and number of the parts of a key, and the size of all parts, are limited: the oldest are dropped', () => {
  const kept = createKeptResults(handClock(), LIMITS);
  const [ann, bob, cat] = [owner('ann'), owner('bob'), owner('cat')];
  expect(kept.keep(ann, part(51))).toBeUndefined();
  const first = String(kept.keep(ann, part(20)));
  const second = String(kept.keep(ann, part(20)));
  // Reading makes a part younger.
  kept.read(ann, first);
  const third = String(kept.keep(ann, part(20)));
  expect([first, second, third].map((id) => kept.read(ann, id) !== undefined)).toEqual([true, false, true]);
  const small = Array.from({ length: 4 }, () => String(kept.keep(bob, part(1))));
  expect(small.map((id) => kept.read(bob, id) !== undefined)).toEqual([false, true, true, true]);
  kept.keep(bob, part(45));
  const last = String(kept.keep(cat, part(50)));
  expect(kept.read(cat, last)).toBeDefined();
  expect(kept.read(ann, first)).toBeUndefined();
});
