import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { type ByteBudget, createByteBudget } from '#core/limits/byte-budget.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

function budgetOf(limit: number): { budget: ByteBudget; refused: string[] } {
  const refused: string[] = [];
  return { budget: createByteBudget({ limit, onRefused: (by) => refused.push(by) }), refused };
}

const OVERLOADED = expect.objectContaining({
  code: 'OverloadedError',
  reason: 'request_memory',
  retryAfterSeconds: 1,
});

test('a request is rejected while other requests use up the budget, and accepted after they finish', () => {
  const { budget, refused } = budgetOf(10 * MIB);
  const first = budget.open();
  first.take(8 * MIB);
  const second = budget.open();
  expect(() => second.take(4 * MIB)).toThrow(OVERLOADED);
  expect({ held: budget.held(), refused }).toEqual({ held: 8 * MIB, refused: ['process'] });
  first.release();
  first.release();
  expect(budget.held()).toBe(0);
  second.take(4 * MIB);
  expect(budget.held()).toBe(4 * MIB);
});

test('a request can grow to any size if it is the only one', () => {
  const { budget } = budgetOf(MIB);
  const hold = budget.open('a key');
  for (let at = 0; at < 10; at += 1) hold.take(MIB);
  expect(budget.held()).toBe(10 * MIB);
});

test('a caller can use at most half of the budget', () => {
  const { budget, refused } = budgetOf(10 * MIB);
  budget.open('large').take(4 * MIB);
  expect(() => budget.open('large').take(2 * MIB)).toThrow(/this key/);
  budget.open('other').take(5 * MIB);
  budget.open().take(MIB);
  expect(refused).toEqual(['caller']);
});

test('large requests do not block small requests', () => {
  const { budget } = budgetOf(10 * MIB);
  budget.open('large').take(5 * MIB);
  budget.open('larger').take(5 * MIB);
  const small = Array.from({ length: 20 }, () => budget.open('large'));
  for (const hold of small) hold.take(64 * KIB);
  expect(() => budget.open('third').take(65 * KIB)).toThrow(AppError);
  expect(() => Array.from({ length: 100 }, () => budget.open().take(64 * KIB))).toThrow(AppError);
});

test('response bytes are always accepted, and count toward the budget', () => {
  const { budget } = budgetOf(MIB);
  const hold = budget.open();
  hold.take(100);
  hold.add(5 * MIB);
  expect(() => budget.open().take(100 * KIB)).toThrow(AppError);
  hold.release();
  hold.add(MIB);
  hold.take(MIB);
  expect(budget.held()).toBe(0);
});
