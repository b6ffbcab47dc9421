import { expect, test } from 'vitest';
import { toText } from '#core/tensor/convert.ts';
import { numbered } from './arbitrary-tensors.ts';

const tensor = (shape: number[], ...values: number[]) => ({ data: Float32Array.from(values), shape });

test.each([
  ['no axes', tensor([], 0.1), 'Tensor of shape []:\n0.1'],
  ['no elements', tensor([0]), 'Tensor of shape [0]:\n[]'],
  ['rows without elements', tensor([2, 0]), 'Tensor of shape [2, 0]:\n[[],\n []]'],
  ['one axis', tensor([3], 1, 0.1, 1e-20), 'Tensor of shape [3]:\n[1, 0.1, 1e-20]'],
  [
    'NaN, infinities and -0',
    tensor([4], Number.NaN, Infinity, -Infinity, -0),
    'Tensor of shape [4]:\n[nan, inf, -inf, -0]',
  ],
  ['two axes', tensor([2, 2], 1, 2, 3, 4), 'Tensor of shape [2, 2]:\n[[1, 2],\n [3, 4]]'],
  [
    'three axes',
    tensor([2, 2, 1], 1, 2, 3, 4),
    'Tensor of shape [2, 2, 1]:\n[[[1],\n  [2]],\n\n [[3],\n  [4]]]',
  ],
])('a tensor with %s is printed with its shape and values', (_, shown, text) => {
  expect(toText(shown)).toBe(text);
});

test('abbreviates long axes', () => {
  const shown = { ...numbered([10, 11]), data: Float32Array.from({ length: 110 }, (_, at) => at) };
  expect(toText(shown)).toBe(
    [
      'Tensor of shape [10, 11]:',
      '[[0, 1, 2, ..., 8, 9, 10],',
      ' [11, 12, 13, ..., 19, 20, 21],',
      ' [22, 23, 24, ..., 30, 31, 32],',
      ' ...,',
      ' [77, 78, 79, ..., 85, 86, 87],',
      ' [88, 89, 90, ..., 96, 97, 98],',
      ' [99, 100, 101, ..., 107, 108, 109]]',
    ].join('\n'),
  );
});

test('abbreviates large values of any kind', () => {
  for (const shape of [
    [200_000],
    [400, 400],
    [60, 60, 60],
    [10, 10, 10, 10],
    [4, 4, 4, 4, 4, 4, 4, 4],
    [2 ** 28, 0],
  ]) {
    expect(toText(numbered(shape)).length).toBeLessThan(10_000);
  }
});
