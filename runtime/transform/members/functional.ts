import { foldAxis } from '#core/tensor/reduce.ts';
import { mapAxis } from '#core/tensor/rearrange.ts';
import { AXIS } from './parameters.ts';
import { type Member, method } from '../member.ts';

/** Operations that call a script function. */
export const FUNCTIONAL: readonly Member[] = [
  method({
    name: 'map_axis',
    doc: 'Calls a function with each slice along an axis (a tensor without that axis) and stacks the results along it. All results must have the same shape; [2, 3] along axis 1 with results of shape [5] gives [2, 5].',
    parameters: [
      AXIS,
      {
        name: 'f',
        type: 'function',
        doc: 'Takes a slice and returns a tensor or a number.',
        callback: { parameters: [{ name: 'slice', type: 'tensor' }], returns: 'operand' },
      },
    ],
    returns: 'tensor',
    call: mapAxis,
  }),
  method({
    name: 'fold_axis',
    doc: 'Reduces each slice along an axis to one number: a function takes the accumulated number and the next element, and returns the new accumulated number. [2, 3, 4] along axis 2 gives [3]. The function is called for every element, so prefer sum, max and similar methods.',
    parameters: [
      AXIS,
      { name: 'acc', type: 'number', doc: 'The initial number for each slice.' },
      {
        name: 'f',
        type: 'function',
        doc: 'Takes the accumulated number and an element, and returns a number.',
        callback: {
          parameters: [
            { name: 'acc', type: 'number' },
            { name: 'element', type: 'number' },
          ],
          returns: 'number',
        },
      },
    ],
    returns: 'tensor',
    call: foldAxis,
  }),
];
