import { describe, expect, test } from 'vitest';
import { add } from '#core/tensor/broadcast.ts';
import { full, toTable, fromTable } from '#core/tensor/convert.ts';
import { matmul } from '#core/tensor/matmul.ts';
import { reshape, unsqueeze } from '#core/tensor/rearrange.ts';
import { allocateFloats, type Tensor } from '#core/tensor/tensor.ts';

/** An allocator that must not be called: invalid sizes are rejected first. */
const refuseToAllocate = (): never => {
  throw new Error('memory was taken');
};
/** Only its shape is read. */
const empty = (...shape: number[]): Tensor => ({ data: new Float32Array(), shape });

describe('excessive sizes are rejected before memory is allocated', () => {
  test('too many elements', () => {
    expect(() => full(refuseToAllocate, [100_000, 100_000], 1, 'ones')).toThrow(
      'A tensor of shape [100000, 100000] is too large: it would have 10000000000 elements; the maximum is 268435456.',
    );
    expect(() => add(refuseToAllocate, empty(2 ** 27, 1), empty(1, 4))).toThrow('the maximum is 268435456');
    expect(() => full(refuseToAllocate, [2 ** 14, 2 ** 14], 1, 'ones')).toThrow('memory was taken');
  });

  test('empty tensors with too many rows', () => {
    const message = 'A tensor of shape [1000000000000, 0] is too large';
    expect(() => full(refuseToAllocate, [1e12, 0], 1, 'ones')).toThrow(message);
    expect(() => reshape(empty(0), [1e12, 0])).toThrow(message);
    expect(() => toTable(empty(2 ** 28, 0))).toThrow(
      'totable: a tensor of shape [268435456, 0] is too large',
    );
  });

  test('too many axes', () => {
    const eight = full(allocateFloats, [1, 1, 1, 1, 1, 1, 1, 1], 0, 'zeros');
    expect(() => unsqueeze(eight, 1)).toThrow('A tensor would have 9 axes; the maximum is 8.');
    expect(() => reshape(eight, [1, 1, 1, 1, 1, 1, 1, 1, 1])).toThrow('9 axes');
    const deep = Array.from({ length: 1000 }).reduce<unknown[]>((list) => [list], []);
    expect(() => fromTable(refuseToAllocate, deep)).toThrow('9 axes');
    const endless: unknown[] = [];
    endless.push(endless);
    expect(() => fromTable(refuseToAllocate, endless)).toThrow('9 axes');
  });

  test('products that would take hours', () => {
    expect(() => matmul(refuseToAllocate, empty(2 ** 13, 2 ** 13), empty(2 ** 13, 2 ** 13))).toThrow(
      'matmul of [8192, 8192] and [8192, 8192] requires 549755813888 multiplications; the maximum is 4294967296.',
    );
  });
});

test('each result is allocated once, with its exact size', () => {
  const asked: number[] = [];
  const counting = (elements: number): Float32Array => {
    asked.push(elements);
    return new Float32Array(elements);
  };
  const tensor = full(counting, [2, 3], 1, 'ones');
  add(counting, tensor, full(counting, [4, 1, 1], 1, 'ones'));
  expect(asked).toEqual([6, 4, 24]);
});
