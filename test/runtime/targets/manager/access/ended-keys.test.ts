import { expect, test } from 'vitest';
import { watchEndedKeys, type EndedKey } from '#manager/access/ended-keys.ts';
import { userOfKey } from '#manager/access/manager-access.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { keyOf } from './key-of.ts';

test('keys that are revoked, removed or expire are reported once', () => {
  const clock = handClock();
  const at = (ms: number): string => new Date(clock.now() + ms).toISOString();
  let keys = [keyOf('stays'), keyOf('revoked'), keyOf('removed'), keyOf('expires', { expires: at(1500) })];
  const ended: EndedKey[] = [];
  const stop = watchEndedKeys({ keys: () => keys }, clock, (key) => ended.push(key));
  const report = (name: string, isRevoked: boolean) => ({
    user: userOfKey(keyOf(name).hash),
    name,
    isRevoked,
  });
  clock.pass(1000);
  expect(ended).toEqual([]);
  keys = [keyOf('stays'), keyOf('revoked', { revoked: at(0) }), keyOf('expires', { expires: at(500) })];
  clock.pass(1000);
  expect(ended).toEqual([report('revoked', true), report('removed', true), report('expires', false)]);
  clock.pass(5000);
  expect(ended).toHaveLength(3);
  stop();
  keys = [];
  clock.pass(5000);
  expect(ended).toHaveLength(3);
});
