import { reshape, squeeze, unsqueeze, transpose, truncateAxis } from '#core/tensor/rearrange.ts';
import { toTable } from '#core/tensor/convert.ts';
import { AXIS } from './parameters.ts';
import { type Member, method } from '../member.ts';

/** Operations that return or change the shape. */
export const SHAPE_MEMBERS: readonly Member[] = [
  method({
    name: 'shape',
    doc: 'The size of each axis, as a list: {2, 3} for two rows of three elements.',
    parameters: [],
    returns: 'integers',
    call: (_, self) => self.shape,
  }),
  method({
    name: 'ndim',
    doc: 'The number of axes.',
    parameters: [],
    returns: 'integer',
    call: (_, self) => self.shape.length,
  }),
  method({
    name: 'reshape',
    doc: 'The same elements in the same order with another shape: [2, 6] can become [3, 4].',
    parameters: [
      {
        name: 'shape',
        type: 'integers',
        doc: 'The new shape, with the same number of elements; one size can be -1 and is inferred from the others.',
      },
    ],
    returns: 'tensor',
    call: (_, self, shape) => reshape(self, shape),
  }),
  method({
    name: 'transpose',
    doc: 'Swaps the last two axes: [2, 3, 4] gives [2, 4, 3]. Requires at least two axes.',
    parameters: [],
    returns: 'tensor',
    call: transpose,
  }),
  method({
    name: 'unsqueeze',
    doc: 'Inserts an axis of size 1: [2, 3] with axis 2 gives [2, 1, 3], and with -1 gives [2, 3, 1].',
    parameters: [
      { ...AXIS, doc: 'The position of the new axis in the result: 1 is the first, -1 the last.' },
    ],
    returns: 'tensor',
    call: (_, self, axis) => unsqueeze(self, axis),
  }),
  method({
    name: 'squeeze',
    doc: 'Removes an axis of size 1: [2, 1, 3] with axis 2 gives [2, 3].',
    parameters: [
      {
        ...AXIS,
        optional: true,
        doc: 'The axis: 1 is the first, -1 the last. Without it, all axes of size 1 are removed.',
      },
    ],
    returns: 'tensor',
    call: (_, self, axis) => squeeze(self, axis),
  }),
  method({
    name: 'truncate_axis',
    doc: 'Keeps the first elements along an axis: [2, 384] with axis 2 and length 128 gives [2, 128]. A shorter axis is returned unchanged.',
    parameters: [
      AXIS,
      { name: 'length', type: 'integer', doc: 'The maximum number of elements to keep, 0 or more.' },
    ],
    returns: 'tensor',
    call: truncateAxis,
  }),
  method({
    name: 'totable',
    doc: 'The elements as nested lists, one level per axis; for a tensor without axes, its number. Copies all elements, so use it for small tensors.',
    parameters: [],
    returns: 'table',
    call: (_, self) => toTable(self),
  }),
];
