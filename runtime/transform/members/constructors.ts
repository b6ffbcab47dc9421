import { concat } from '#core/tensor/rearrange.ts';
import { fromTable, full } from '#core/tensor/convert.ts';
import { where } from '#core/tensor/broadcast.ts';
import { AXIS, SHAPE, TABLE } from './parameters.ts';
import { type Member, type Parameter, staticFunction } from '../member.ts';

const CONDITION = {
  name: 'condition',
  type: 'tensor',
  doc: 'Non-zero elements select yes, zeros select no.',
} as const satisfies Parameter;

/** Operations that create tensors. */
export const CONSTRUCTORS: readonly Member[] = [
  staticFunction({
    name: '__call',
    doc: 'Creates a tensor from a table of numbers: Tensor({{1, 2}, {3, 4}}) has the shape [2, 2].',
    parameters: [TABLE],
    returns: 'tensor',
    call: fromTable,
  }),
  staticFunction({
    name: 'new',
    doc: 'Same as Tensor(table).',
    parameters: [TABLE],
    returns: 'tensor',
    call: fromTable,
  }),
  staticFunction({
    name: 'zeros',
    doc: 'Creates a tensor of zeros.',
    parameters: [SHAPE],
    returns: 'tensor',
    call: (allocate, shape) => full(allocate, shape, 0, 'zeros'),
  }),
  staticFunction({
    name: 'ones',
    doc: 'Creates a tensor of ones.',
    parameters: [SHAPE],
    returns: 'tensor',
    call: (allocate, shape) => full(allocate, shape, 1, 'ones'),
  }),
  staticFunction({
    name: 'full',
    doc: 'Creates a tensor filled with one value.',
    parameters: [SHAPE, { name: 'value', type: 'number', doc: 'The value of every element.' }],
    returns: 'tensor',
    call: (allocate, shape, value) => full(allocate, shape, value, 'full'),
  }),
  staticFunction({
    name: 'concat',
    doc: 'Concatenates tensors along an axis. Their shapes may differ only in that axis: [2, 3] and [5, 3] along axis 1 give [7, 3].',
    parameters: [
      { name: 'tensors', type: 'tensors', doc: 'A list of at least one tensor, for example {a, b}.' },
      AXIS,
    ],
    returns: 'tensor',
    call: concat,
  }),
  staticFunction({
    name: 'where',
    doc: 'Selects element by element from yes or no. The three shapes are broadcast together. Same as condition:where(yes, no).',
    parameters: [
      CONDITION,
      { name: 'yes', type: 'operand', doc: 'A tensor or a number.' },
      { name: 'no', type: 'operand', doc: 'A tensor or a number.' },
    ],
    returns: 'tensor',
    call: where,
  }),
];
