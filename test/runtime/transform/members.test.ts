import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { allocateFloats, type Tensor } from '#core/tensor/tensor.ts';
import type { Member } from '#transform/member.ts';
import { MEMBERS } from '#transform/members.ts';
import { type GoldenCase, type GoldenMember, readGoldenTensors } from './golden-tensors.ts';

const GOLDEN = readGoldenTensors();
/** Intended differences from numpy. */
const TESTED_ELSEWHERE = { __tostring: 'test/runtime/core/tensor/to-text.test.ts' };

const nameOf = ({ kind, name }: Member): string => (kind === 'static' ? `Tensor.${name}` : name);

describe('tensor functions return the same results as numpy', () => {
  test('every tensor function has reference results, and all reference results belong to a function', () => {
    const names = MEMBERS.map(nameOf).filter((name) => !(name in TESTED_ELSEWHERE));
    expect(names.length).toBeGreaterThan(40);
    expect(new Set(names).size).toBe(names.length);
    expect([...GOLDEN.keys()].sort()).toEqual([...names].sort());
  });

  test.each([...GOLDEN].map(([name, golden]) => ({ name, golden })))('$name', ({ name, golden }) => {
    const member = MEMBERS.find((candidate) => nameOf(candidate) === name);
    if (!member) throw new Error(`there is no member ${name}`);
    expect(golden.cases.filter(({ result }) => result !== undefined).length).toBeGreaterThan(4);
    expect(golden.cases.flatMap((one) => difference(member, one, golden.compare))).toEqual([]);
  });
});

/** The error in a result, if there is one. */
function difference(member: Member, golden: GoldenCase, compare: GoldenMember['compare']): string[] {
  const { result, message } = outcomeOf(member, golden);
  const isRight =
    golden.result === undefined
      ? message !== undefined
      : message === undefined && isAlike(result, golden.result, compare);
  return isRight ? [] : [`${golden.text}: ${message ?? inspect(result)}, not ${inspect(golden.result)}`];
}

function outcomeOf(member: Member, { values }: GoldenCase): { result?: unknown; message?: string } {
  try {
    return { result: member.call(allocateFloats, ...(values as Parameters<Member['call']>[1][])) };
  } catch (error) {
    return { message: (error as Error).message };
  }
}

function isAlike(actual: unknown, expected: unknown, compare: GoldenMember['compare']): boolean {
  if (typeof expected === 'number') return isAlikeNumber(actual as number, expected, compare);
  if (Array.isArray(expected)) {
    const list = actual as unknown[];
    return list.length === expected.length && expected.every((item, at) => isAlike(list[at], item, compare));
  }
  if (typeof expected !== 'object') return actual === expected;
  const [left, right] = [actual as Tensor, expected as Tensor];
  return (
    isAlike([...left.shape], [...right.shape], 'same') && isAlike([...left.data], [...right.data], compare)
  );
}

function isAlikeNumber(actual: number, expected: number, compare: GoldenMember['compare']): boolean {
  if (Object.is(actual, expected)) return true;
  if (compare === 'same') return false;
  if (compare === 'equal') return actual === expected;
  // The smallest numbers have only a few bits, and can differ by two steps.
  return Math.abs(actual - expected) <= Math.max(1e-6 * Math.abs(expected), 2 * 2 ** -149);
}
