import { add, divide, multiply, subtract, isEqual } from '#core/tensor/broadcast.ts';
import { elementAt, toText } from '#core/tensor/convert.ts';
import { negate } from '#core/tensor/elementwise.ts';
import { type Member, metamethod, type Parameter } from '../member.ts';

const LEFT = { name: 'left', type: 'operand', doc: 'A tensor or a number.' } as const satisfies Parameter;
const RIGHT = { name: 'right', type: 'operand', doc: 'A tensor or a number.' } as const satisfies Parameter;
const SELF = { name: 'tensor', type: 'tensor', doc: 'The tensor.' } as const satisfies Parameter;

const BROADCAST =
  'Shapes are broadcast as in numpy: sizes are matched from the last axis, and size 1 matches every size. A number matches every shape.';

/** Lua operators on tensors. */
export const OPERATORS: readonly Member[] = [
  metamethod({
    name: '__add',
    doc: `left + right, element by element. ${BROADCAST}`,
    parameters: [LEFT, RIGHT],
    returns: 'tensor',
    call: add,
  }),
  metamethod({
    name: '__sub',
    doc: `left - right, element by element. ${BROADCAST}`,
    parameters: [LEFT, RIGHT],
    returns: 'tensor',
    call: subtract,
  }),
  metamethod({
    name: '__mul',
    doc: `left * right, element by element. ${BROADCAST}`,
    parameters: [LEFT, RIGHT],
    returns: 'tensor',
    call: multiply,
  }),
  metamethod({
    name: '__div',
    doc: `left / right, element by element. ${BROADCAST}`,
    parameters: [LEFT, RIGHT],
    returns: 'tensor',
    call: divide,
  }),
  metamethod({
    name: '__unm',
    doc: '-tensor: the negative of each element.',
    parameters: [SELF],
    returns: 'tensor',
    call: negate,
  }),
  metamethod({
    name: '__eq',
    doc: 'left == right: whether both have the same shape and exactly the same elements. NaN is not equal to anything.',
    parameters: [
      { name: 'left', type: 'tensor', doc: 'A tensor.' },
      { name: 'right', type: 'tensor', doc: 'A tensor.' },
    ],
    returns: 'boolean',
    call: (_, left, right) => isEqual(left, right),
  }),
  metamethod({
    name: '__len',
    doc: '#tensor: the total number of elements.',
    parameters: [SELF],
    returns: 'integer',
    call: (_, tensor) => tensor.data.length,
  }),
  metamethod({
    name: '__tostring',
    doc: 'tostring(tensor): the shape and the elements. Large tensors show only the first and last elements of each axis.',
    parameters: [SELF],
    returns: 'string',
    call: (_, tensor) => toText(tensor),
  }),
  metamethod({
    name: '__index',
    doc: 'tensor[i]: the slice at index i of the first axis, or a number if the tensor has only one axis. Indexes start at 1; -1 is the last.',
    parameters: [
      SELF,
      { name: 'index', type: 'integer', doc: 'The index on the first axis: 1 is the first, -1 the last.' },
    ],
    returns: 'operand',
    call: (_, tensor, index) => elementAt(tensor, index),
  }),
];
