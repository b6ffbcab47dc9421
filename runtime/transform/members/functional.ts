import { foldAxis } from '../../core/tensor/fold-axis.ts';
import { mapAxis } from '../../core/tensor/map-axis.ts';
import { AXIS } from './parameters.ts';
import { type Member, method } from '../member.ts';

/** What calls a function of the script. */
export const FUNCTIONAL: readonly Member[] = [
  method({
    name: 'map_axis',
    doc: 'Calls a function with each slice along an axis, a tensor without that axis, and puts the results together along it. Results need one and the same shape; [2, 3] along axis 1 with results of shape [5] gives [2, 5].',
    parameters: [
      AXIS,
      {
        name: 'f',
        type: 'function',
        doc: 'Gets a slice and returns a tensor or a number.',
        callback: { parameters: [{ name: 'slice', type: 'tensor' }], returns: 'operand' },
      },
    ],
    returns: 'tensor',
    call: mapAxis,
  }),
  method({
    name: 'fold_axis',
    doc: 'Makes one number of each slice along an axis: starting from a number, a function gets the number so far and the next element, and returns the new number. [2, 3, 4] along axis 2 gives [3]. Calls the function for every element, so prefer sum, max and the like.',
    parameters: [
      AXIS,
      { name: 'acc', type: 'number', doc: 'The number to start from in each slice.' },
      {
        name: 'f',
        type: 'function',
        doc: 'Gets the number so far and an element, and returns a number.',
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
