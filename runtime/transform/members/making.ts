import { concat } from '../../core/tensor/concat.ts';
import { fromTable } from '../../core/tensor/from-table.ts';
import { full } from '../../core/tensor/full.ts';
import { where } from '../../core/tensor/where.ts';
import { AXIS, SHAPE, TABLE } from './parameters.ts';
import { type Member, type Parameter, staticFunction } from '../member.ts';

const CONDITION = {
  name: 'condition',
  type: 'tensor',
  doc: 'Elements that are not zero choose yes, zeros choose no.',
} as const satisfies Parameter;

/** New tensors. */
export const MAKING: readonly Member[] = [
  staticFunction({
    name: '__call',
    doc: 'A tensor of the numbers in a table: Tensor({{1, 2}, {3, 4}}) has the shape [2, 2].',
    parameters: [TABLE],
    returns: 'tensor',
    call: fromTable,
  }),
  staticFunction({
    name: 'new',
    doc: 'The same as Tensor(table).',
    parameters: [TABLE],
    returns: 'tensor',
    call: fromTable,
  }),
  staticFunction({
    name: 'zeros',
    doc: 'A tensor of zeros.',
    parameters: [SHAPE],
    returns: 'tensor',
    call: (allocate, shape) => full(allocate, shape, 0, 'zeros'),
  }),
  staticFunction({
    name: 'ones',
    doc: 'A tensor of ones.',
    parameters: [SHAPE],
    returns: 'tensor',
    call: (allocate, shape) => full(allocate, shape, 1, 'ones'),
  }),
  staticFunction({
    name: 'full',
    doc: 'A tensor that has the same value everywhere.',
    parameters: [SHAPE, { name: 'value', type: 'number', doc: 'The value of every element.' }],
    returns: 'tensor',
    call: (allocate, shape, value) => full(allocate, shape, value, 'full'),
  }),
  staticFunction({
    name: 'concat',
    doc: 'Puts tensors one after the other along an axis. Their shapes may differ in that axis only: [2, 3] and [5, 3] along axis 1 make [7, 3].',
    parameters: [
      { name: 'tensors', type: 'tensors', doc: 'A list of one tensor or more, as in {a, b}.' },
      AXIS,
    ],
    returns: 'tensor',
    call: concat,
  }),
  staticFunction({
    name: 'where',
    doc: 'Chooses element by element between yes and no. The three shapes are broadcast together. The same as condition:where(yes, no).',
    parameters: [
      CONDITION,
      { name: 'yes', type: 'operand', doc: 'A tensor or a number.' },
      { name: 'no', type: 'operand', doc: 'A tensor or a number.' },
    ],
    returns: 'tensor',
    call: where,
  }),
];
