import { reduceAll, reduceAxis } from '../../core/tensor/reduce.ts';
import { ARGMAX, MAX, MEAN, MIN, type Reduction, SUM } from '../../core/tensor/reductions.ts';
import { standardDeviation } from '../../core/tensor/standard-deviation.ts';
import type { Allocate, Operand, Tensor } from '../../core/tensor/tensor.ts';
import { AXIS, OPTIONAL_AXIS } from './parameters.ts';
import { type Member, method } from '../member.ts';

const WITHOUT_AXIS = 'With an axis a tensor that no longer has it: [2, 3] along axis 2 gives [2].';

/** What makes fewer elements of many. */
export const REDUCTIONS: readonly Member[] = [
  method({
    name: 'sum',
    doc: `The sum of all elements, a number. ${WITHOUT_AXIS}`,
    parameters: [OPTIONAL_AXIS],
    returns: 'operand',
    call: allOrAxis('sum', SUM),
  }),
  method({
    name: 'mean',
    doc: `The mean of all elements, a number; NaN if there are none. ${WITHOUT_AXIS}`,
    parameters: [OPTIONAL_AXIS],
    returns: 'operand',
    call: allOrAxis('mean', MEAN),
  }),
  method({
    name: 'max',
    doc: `The greatest of all elements, a number; NaN if one is NaN. ${WITHOUT_AXIS}`,
    parameters: [OPTIONAL_AXIS],
    returns: 'operand',
    call: allOrAxis('max', MAX),
  }),
  method({
    name: 'min',
    doc: `The least of all elements, a number; NaN if one is NaN. ${WITHOUT_AXIS}`,
    parameters: [OPTIONAL_AXIS],
    returns: 'operand',
    call: allOrAxis('min', MIN),
  }),
  method({
    name: 'sum_axis',
    doc: 'The sums along an axis, which the result no longer has: [2, 3] along axis 2 gives [2]. The same as sum(axis).',
    parameters: [AXIS],
    returns: 'tensor',
    call: (allocate, self, axis) => reduceAxis(allocate, self, axis, 'sum_axis', SUM),
  }),
  method({
    name: 'argmax',
    doc: 'Where along an axis the greatest element is: the first of equals, or the first NaN. Counts from 0, as label ids do, unlike indexing. The result no longer has the axis: [2, 3] along axis 2 gives [2].',
    parameters: [AXIS],
    returns: 'tensor',
    call: (allocate, self, axis) => reduceAxis(allocate, self, axis, 'argmax', ARGMAX),
  }),
  method({
    name: 'std',
    doc: 'The standard deviation of all elements, a number.',
    parameters: [
      {
        name: 'ddof',
        type: 'number',
        optional: true,
        doc: 'What is taken off the number of elements before dividing by it: 0, the default, for all there is, 1 for a sample.',
      },
    ],
    returns: 'number',
    call: (_, self, ddof) => standardDeviation(self, ddof ?? 0),
  }),
];

function allOrAxis(what: string, reduction: Reduction) {
  return (allocate: Allocate, self: Tensor, axis: number | undefined): Operand =>
    axis === undefined ? reduceAll(self, what, reduction) : reduceAxis(allocate, self, axis, what, reduction);
}
