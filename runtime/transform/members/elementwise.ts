import {
  clamp,
  absolute,
  exponentiate,
  logarithm,
  sigmoidOfTensor,
  squareRoot,
  power,
} from '#core/tensor/elementwise.ts';
import { isGreater, isGreaterOrEqual, isLess, isLessOrEqual, where } from '#core/tensor/broadcast.ts';
import { OPERAND } from './parameters.ts';
import { type Member, method } from '../member.ts';

/** Operations on each element. */
export const ELEMENTWISE: readonly Member[] = [
  method({
    name: 'exp',
    doc: 'e raised to the power of each element.',
    parameters: [],
    returns: 'tensor',
    call: exponentiate,
  }),
  method({
    name: 'log',
    doc: 'The natural logarithm of each element: -inf for 0, NaN for negative elements.',
    parameters: [],
    returns: 'tensor',
    call: logarithm,
  }),
  method({
    name: 'sqrt',
    doc: 'The square root of each element; NaN for negative elements.',
    parameters: [],
    returns: 'tensor',
    call: squareRoot,
  }),
  method({
    name: 'abs',
    doc: 'The absolute value of each element.',
    parameters: [],
    returns: 'tensor',
    call: absolute,
  }),
  method({
    name: 'sigmoid',
    doc: '1 / (1 + exp(-x)) for each element x; turns logits of a multi-label model into probabilities.',
    parameters: [],
    returns: 'tensor',
    call: sigmoidOfTensor,
  }),
  method({
    name: 'pow',
    doc: 'Each element raised to a power: a number, or the matching element of another tensor. Shapes are broadcast.',
    parameters: [{ ...OPERAND, name: 'exponent' }],
    returns: 'tensor',
    call: power,
  }),
  method({
    name: 'clamp',
    doc: 'Limits each element to the range from min to max. If min is above max, all elements become max. If min or max is NaN, all elements become NaN.',
    parameters: [
      { name: 'min', type: 'number', optional: true, doc: 'The lower limit; nil for none.' },
      { name: 'max', type: 'number', optional: true, doc: 'The upper limit; nil for none.' },
    ],
    returns: 'tensor',
    call: clamp,
  }),
  method({
    name: 'gt',
    doc: '1 where the element is greater than the operand, otherwise 0. Shapes are broadcast.',
    parameters: [OPERAND],
    returns: 'tensor',
    call: isGreater,
  }),
  method({
    name: 'ge',
    doc: '1 where the element is greater than or equal to the operand, otherwise 0. Shapes are broadcast.',
    parameters: [OPERAND],
    returns: 'tensor',
    call: isGreaterOrEqual,
  }),
  method({
    name: 'lt',
    doc: '1 where the element is less than the operand, otherwise 0. Shapes are broadcast.',
    parameters: [OPERAND],
    returns: 'tensor',
    call: isLess,
  }),
  method({
    name: 'le',
    doc: '1 where the element is less than or equal to the operand, otherwise 0. Shapes are broadcast.',
    parameters: [OPERAND],
    returns: 'tensor',
    call: isLessOrEqual,
  }),
  method({
    name: 'where',
    doc: 'Selects yes where the element of this tensor is not zero, and no where it is zero: t:gt(0):where(t, 0) replaces negative elements with 0. The three shapes are broadcast together.',
    parameters: [
      { ...OPERAND, name: 'yes' },
      { ...OPERAND, name: 'no' },
    ],
    returns: 'tensor',
    call: where,
  }),
];
