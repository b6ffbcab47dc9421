import { reshape } from '../../core/tensor/reshape.ts';
import { squeeze, unsqueeze } from '../../core/tensor/squeeze.ts';
import { toTable } from '../../core/tensor/to-table.ts';
import { transpose } from '../../core/tensor/transpose.ts';
import { truncateAxis } from '../../core/tensor/truncate-axis.ts';
import { AXIS } from './parameters.ts';
import { type Member, method } from '../member.ts';

/** What asks for the shape or changes it. */
export const SHAPE_MEMBERS: readonly Member[] = [
  method({
    name: 'shape',
    doc: 'How many elements there are along each axis, as a list: {2, 3} for two rows of three.',
    parameters: [],
    returns: 'integers',
    call: (_, self) => self.shape,
  }),
  method({
    name: 'ndim',
    doc: 'How many axes there are.',
    parameters: [],
    returns: 'integer',
    call: (_, self) => self.shape.length,
  }),
  method({
    name: 'reshape',
    doc: 'The same elements in the same order along other axes: [2, 6] can become [3, 4].',
    parameters: [
      {
        name: 'shape',
        type: 'integers',
        doc: 'The new sizes, which hold as many elements; one of them can be -1, for what is left.',
      },
    ],
    returns: 'tensor',
    call: (_, self, shape) => reshape(self, shape),
  }),
  method({
    name: 'transpose',
    doc: 'Swaps the last two axes: [2, 3, 4] gives [2, 4, 3]. The tensor needs two axes at least.',
    parameters: [],
    returns: 'tensor',
    call: transpose,
  }),
  method({
    name: 'unsqueeze',
    doc: 'Puts in an axis of one element: [2, 3] with axis 2 gives [2, 1, 3], and with -1 gives [2, 3, 1].',
    parameters: [{ ...AXIS, doc: 'Where the new axis is to be in the result: 1 is the first, -1 the last.' }],
    returns: 'tensor',
    call: (_, self, axis) => unsqueeze(self, axis),
  }),
  method({
    name: 'squeeze',
    doc: 'Leaves out an axis of one element: [2, 1, 3] with axis 2 gives [2, 3].',
    parameters: [
      {
        ...AXIS,
        optional: true,
        doc: 'The axis: 1 is the first, -1 the last. Without it, all that have one element.',
      },
    ],
    returns: 'tensor',
    call: (_, self, axis) => squeeze(self, axis),
  }),
  method({
    name: 'truncate_axis',
    doc: 'Keeps the first elements along an axis: [2, 384] with axis 2 and length 128 gives [2, 128]. An axis that is shorter stays as it is.',
    parameters: [AXIS, { name: 'length', type: 'integer', doc: 'How many to keep at most, 0 or more.' }],
    returns: 'tensor',
    call: truncateAxis,
  }),
  method({
    name: 'totable',
    doc: 'The elements as lists of lists of numbers, as deep as there are axes; for a tensor without axes, its number. Copies everything, so use it for small tensors.',
    parameters: [],
    returns: 'table',
    call: (_, self) => toTable(self),
  }),
];
