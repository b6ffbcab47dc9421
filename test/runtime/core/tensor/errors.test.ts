import { describe, expect, test } from 'vitest';
import { allocateFloats } from '#core/tensor/tensor.ts';
import {
  concat,
  squeeze,
  unsqueeze,
  reshape,
  transpose,
  truncateAxis,
  mapAxis,
} from '#core/tensor/rearrange.ts';
import { elementAt, fromTable, full } from '#core/tensor/convert.ts';
import { foldAxis, reduceAll, reduceAxis, ARGMAX, MAX } from '#core/tensor/reduce.ts';
import { layerNorm, lpNormalize, softmaxOfTensor } from '#core/tensor/normalize.ts';
import { matmul } from '#core/tensor/matmul.ts';
import { meanPool } from '#core/tensor/mean-pool.ts';
import { numbered } from './arbitrary-tensors.ts';

const A = allocateFloats;
const MATRIX = numbered([2, 3]);
const ROW = numbered([3]);
const NUMBER = numbered([]);
const NONE = numbered([0, 3]);

const AXES_OF_MATRIX = 'it has axes 1 to 2, or -1 to -2 from the end.';

describe('errors name the value, the rule and the fix', () => {
  const cases: [string, () => unknown][] = [
    [
      `softmax: axis 4 is out of range for a tensor of shape [2, 3]: ${AXES_OF_MATRIX}`,
      () => softmaxOfTensor(A, MATRIX, 4),
    ],
    [
      `softmax: axis -3 is out of range for a tensor of shape [2, 3]: ${AXES_OF_MATRIX}`,
      () => softmaxOfTensor(A, MATRIX, -3),
    ],
    [
      `layer_norm: axis 0 is out of range for a tensor of shape [2, 3]: ${AXES_OF_MATRIX}`,
      () => layerNorm(A, MATRIX, 0, 1),
    ],
    [
      `max: axis 1.5 is out of range for a tensor of shape [2, 3]: ${AXES_OF_MATRIX}`,
      () => reduceAxis(A, MATRIX, 1.5, 'max', MAX),
    ],
    [
      'softmax: axis 2 is out of range for a tensor of shape [3]: it has only axis 1, or -1 from the end.',
      () => softmaxOfTensor(A, ROW, 2),
    ],
    [
      'softmax: axis 1 is out of range for a tensor of shape []: it has no axes.',
      () => softmaxOfTensor(A, NUMBER, 1),
    ],
    ['max: a tensor of shape [0, 3] has no elements to choose from.', () => reduceAll(NONE, 'max', MAX)],
    [
      'argmax: a tensor of shape [0, 3] has no elements to choose from.',
      () => reduceAxis(A, NONE, 1, 'argmax', ARGMAX),
    ],
    [
      'lp_normalize: invalid p 0; use 1 for the sum of absolute values or 2 for the Euclidean norm.',
      () => lpNormalize(A, MATRIX, 0, 1),
    ],
    [
      'lp_normalize: a tensor of shape [0, 3] has no elements to normalize.',
      () => lpNormalize(A, NONE, 2, 1),
    ],
    [
      'mean_pool: a mask of shape [2, 2] does not match a tensor of shape [2, 3]: it must have all axes of the tensor except the last, [2].',
      () => meanPool(A, MATRIX, numbered([2, 2])),
    ],
    [
      'mean_pool: a mask of shape [] does not match a tensor of shape [3], which must have at least two axes, for example [batch, tokens, width].',
      () => meanPool(A, ROW, NUMBER),
    ],
    [
      'matmul of [2, 3] and [2, 3] is not possible: the last axis of the first must match the second-to-last axis of the second, or its only axis.',
      () => matmul(A, MATRIX, MATRIX),
    ],
    [
      'matmul of [2, 2, 3] and [4, 3, 1], axes before the last two: shapes [2] and [4] cannot be broadcast: axis -1 has 2 and 4 elements.',
      () => matmul(A, numbered([2, 2, 3]), numbered([4, 3, 1])),
    ],
    ['transpose: a tensor of shape [3] has fewer than two axes.', () => transpose(A, ROW)],
    [
      'truncate_axis: invalid length -1: it must be an integer of at least 0.',
      () => truncateAxis(A, MATRIX, 1, -1),
    ],
    ['concat: the list of tensors is empty; at least one tensor is required.', () => concat(A, [], 1)],
    [
      'concat: tensor 1 has shape [2, 3] and tensor 3 has shape [3]; shapes may differ only in axis 1.',
      () => concat(A, [MATRIX, numbered([5, 3]), ROW], 1),
    ],
    [
      'reshape: a tensor of shape [2, 3] has 6 elements and cannot become [4, -1].',
      () => reshape(MATRIX, [4, -1]),
    ],
    [
      'reshape: invalid size -2 in [-2, 3]: sizes must be integers of at least 0.',
      () => reshape(MATRIX, [-2, 3]),
    ],
    [
      'squeeze: axis 2 of a tensor of shape [2, 3] has 3 elements; only axes of size 1 can be removed.',
      () => squeeze(MATRIX, 2),
    ],
    [
      'unsqueeze: a tensor of shape [2, 3] cannot get a new axis 5: valid axes are 1 to 3, or -1 to -3 from the end.',
      () => unsqueeze(MATRIX, 5),
    ],
    [
      'index 3 is out of range for a tensor of shape [2, 3]: its first axis goes from 1 to 2, or -1 to -2 from the end.',
      () => elementAt(MATRIX, 3),
    ],
    [
      'index 1 is out of range for a tensor of shape [0, 3]: its first axis is empty.',
      () => elementAt(NONE, 1),
    ],
    [
      'index 1: a tensor of shape [] has no axis to index; use sum() to get its value.',
      () => elementAt(NUMBER, 1),
    ],
    [
      'full: invalid size 2.5 in [1, 2.5]: sizes must be integers of at least 0.',
      () => full(A, [1, 2.5], 0, 'full'),
    ],
    [
      'map_axis: axis 1 of a tensor of shape [0, 3] has no slices to map.',
      () => mapAxis(A, NONE, 1, (slice) => slice),
    ],
    [
      'map_axis: the function returned shape [3] for slice 1 and [] for slice 2; all results must have the same shape.',
      () => mapAxis(A, MATRIX, 1, (slice) => (slice.data[0] === 1 ? slice : 1)),
    ],
    ['map_axis: results of shape [] cannot be stacked along axis 2.', () => mapAxis(A, MATRIX, 2, () => 1)],
    [
      'fold_axis: the function returned a tensor; it must return a number.',
      () => foldAxis(A, MATRIX, 1, 0, () => MATRIX),
    ],
  ];

  test.each(cases)('%s', (sentence, call) => {
    expect(call).toThrow(sentence);
  });
});

describe('a table error names the invalid position', () => {
  const RULE = 'Tensors are created from numbers, or from nested lists of equal length.';

  test.each([
    [[1, 'a string'], '[2] of the table is a string, expected a number.'],
    [[[1, 2], [3]], '[2] of the table is a list of 1, expected a list of 2.'],
    [[[1], 2], '[2] of the table is 2, expected a list of 1.'],
    [[1, [2]], '[2] of the table is a list of 1, expected a number.'],
    [[[[1, 2]], [[3, 'nothing']]], '[2][1][2] of the table is nothing, expected a number.'],
    [['a tensor'], '[1] of the table is a tensor, expected a number.'],
  ])('%j', (table, sentence) => {
    expect(() => fromTable(A, table)).toThrow(`Tensor: ${sentence} ${RULE}`);
  });
});
