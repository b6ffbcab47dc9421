import { expect, test } from 'vitest';
// @ts-expect-error -- The file is part of the checks and has no types.
import { unboundedSpread as spreadOf } from '../.ci/bounded-calls.mjs';
import { greatest, least } from '#core/numbers/extremes.ts';
import { pushAll } from '#core/values/push-all.ts';

const unboundedSpread = spreadOf as (call: {
  callee: object;
  arguments: readonly object[];
}) => object | undefined;
const member = (name: string) => ({ type: 'MemberExpression', property: { name } });
const list = { type: 'Identifier', name: 'list' };
const written = (...elements: object[]) => ({ type: 'ArrayExpression', elements });
const spread = (argument: object) => ({ type: 'SpreadElement', argument });

test('spread arguments of unbounded length are detected', () => {
  const isRefused = (name: string, ...given: object[]): boolean =>
    unboundedSpread({ callee: member(name), arguments: given }) !== undefined;
  for (const name of ['push', 'unshift', 'splice', 'max', 'min', 'fromCharCode', 'fromCodePoint', 'hypot'])
    expect([name, isRefused(name, spread(list))]).toEqual([name, true]);
  expect(isRefused('push', list, spread(list))).toBe(true);
  expect(isRefused('push', spread(written(list, spread(list))))).toBe(true);
  expect(isRefused('push', list)).toBe(false);
  expect(isRefused('push', spread(written(list, list)))).toBe(false);
  const either = { type: 'ConditionalExpression', consequent: written(list), alternate: written() };
  expect(isRefused('push', spread(either))).toBe(false);
  expect(isRefused('concat', spread(list))).toBe(false);
  expect(unboundedSpread({ callee: list, arguments: [spread(list)] })).toBeUndefined();
});

test('the replacement supports any number of items', () => {
  const many = Array.from({ length: 1_000_000 }, (_, index) => index);
  const all = [-1];
  pushAll(all, many);
  expect([all.length, all[1], all.at(-1)]).toEqual([1_000_001, 0, 999_999]);
  expect([greatest(many), least(many)]).toEqual([999_999, 0]);
  expect([greatest([]), least(new Set<number>())]).toEqual([Math.max(), Math.min()]);
  expect([greatest([1, Number.NaN]), least([Number.NaN, 1])]).toEqual([Number.NaN, Number.NaN]);
});
