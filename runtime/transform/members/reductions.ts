import {
  reduceAll,
  reduceAxis,
  ARGMAX,
  MAX,
  MEAN,
  MIN,
  type Reduction,
  SUM,
  standardDeviation,
} from '#core/tensor/reduce.ts';
import type { Allocate, Operand, Tensor } from '#core/tensor/tensor.ts';
import { AXIS, OPTIONAL_AXIS } from './parameters.ts';
import { type Member, method } from '../member.ts';

const WITHOUT_AXIS = 'With an axis, returns a tensor without that axis: [2, 3] along axis 2 gives [2].';

/** Operations that reduce axes. */
export const REDUCTIONS: readonly Member[] = [
  method({
    name: 'sum',
    doc: `The sum of all elements, as a number. ${WITHOUT_AXIS}`,
    parameters: [OPTIONAL_AXIS],
    returns: 'operand',
    call: allOrAxis('sum', SUM),
  }),
  method({
    name: 'mean',
    doc: `The mean of all elements, as a number; NaN for an empty tensor. ${WITHOUT_AXIS}`,
    parameters: [OPTIONAL_AXIS],
    returns: 'operand',
    call: allOrAxis('mean', MEAN),
  }),
  method({
    name: 'max',
    doc: `The maximum of all elements, as a number; NaN if an element is NaN. ${WITHOUT_AXIS}`,
    parameters: [OPTIONAL_AXIS],
    returns: 'operand',
    call: allOrAxis('max', MAX),
  }),
  method({
    name: 'min',
    doc: `The minimum of all elements, as a number; NaN if an element is NaN. ${WITHOUT_AXIS}`,
    parameters: [OPTIONAL_AXIS],
    returns: 'operand',
    call: allOrAxis('min', MIN),
  }),
  method({
    name: 'sum_axis',
    doc: 'The sums along an axis, which is removed: [2, 3] along axis 2 gives [2]. Same as sum(axis).',
    parameters: [AXIS],
    returns: 'tensor',
    call: (allocate, self, axis) => reduceAxis(allocate, self, axis, 'sum_axis', SUM),
  }),
  method({
    name: 'argmax',
    doc: 'The index of the maximum along an axis; among equal elements, the first one, or the first NaN if any. Indexes start at 0, as label ids do, unlike tensor indexing. The axis is removed: [2, 3] along axis 2 gives [2].',
    parameters: [AXIS],
    returns: 'tensor',
    call: (allocate, self, axis) => reduceAxis(allocate, self, axis, 'argmax', ARGMAX),
  }),
  method({
    name: 'std',
    doc: 'The standard deviation of all elements, as a number.',
    parameters: [
      {
        name: 'ddof',
        type: 'number',
        optional: true,
        doc: 'Subtracted from the number of elements in the divisor: 0 (the default) for a population, 1 for a sample.',
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
