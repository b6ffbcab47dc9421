import { clamp } from '../../core/tensor/clamp.ts';
import { isGreater, isGreaterOrEqual, isLess, isLessOrEqual } from '../../core/tensor/compare.ts';
import { absolute, exponentiate, logarithm, sigmoid, squareRoot } from '../../core/tensor/elementwise.ts';
import { power } from '../../core/tensor/power.ts';
import { where } from '../../core/tensor/where.ts';
import { OPERAND } from './parameters.ts';
import { type Member, method } from '../member.ts';

/** What is computed of each element by itself. */
export const ELEMENTWISE: readonly Member[] = [
  method({
    name: 'exp',
    doc: 'e to the power of each element.',
    parameters: [],
    returns: 'tensor',
    call: exponentiate,
  }),
  method({
    name: 'log',
    doc: 'The natural logarithm of each element: -inf for 0, NaN below.',
    parameters: [],
    returns: 'tensor',
    call: logarithm,
  }),
  method({
    name: 'sqrt',
    doc: 'The square root of each element, NaN below 0.',
    parameters: [],
    returns: 'tensor',
    call: squareRoot,
  }),
  method({
    name: 'abs',
    doc: 'Each element without its sign.',
    parameters: [],
    returns: 'tensor',
    call: absolute,
  }),
  method({
    name: 'sigmoid',
    doc: '1 / (1 + exp(-x)) of each element x: a probability for each label of a multi-label model.',
    parameters: [],
    returns: 'tensor',
    call: sigmoid,
  }),
  method({
    name: 'pow',
    doc: 'Each element to the power of a number, or of the element of another tensor. Shapes are broadcast.',
    parameters: [{ ...OPERAND, name: 'exponent' }],
    returns: 'tensor',
    call: power,
  }),
  method({
    name: 'clamp',
    doc: 'Raises each element to min and lowers it to max. If min is above max, all elements become max; if one of them is NaN, NaN.',
    parameters: [
      { name: 'min', type: 'number', optional: true, doc: 'The least that is allowed; nil for no limit.' },
      { name: 'max', type: 'number', optional: true, doc: 'The most that is allowed; nil for no limit.' },
    ],
    returns: 'tensor',
    call: clamp,
  }),
  method({
    name: 'gt',
    doc: '1 where the element is greater than the operand, else 0. Shapes are broadcast.',
    parameters: [OPERAND],
    returns: 'tensor',
    call: isGreater,
  }),
  method({
    name: 'ge',
    doc: '1 where the element is greater than the operand or equal to it, else 0. Shapes are broadcast.',
    parameters: [OPERAND],
    returns: 'tensor',
    call: isGreaterOrEqual,
  }),
  method({
    name: 'lt',
    doc: '1 where the element is less than the operand, else 0. Shapes are broadcast.',
    parameters: [OPERAND],
    returns: 'tensor',
    call: isLess,
  }),
  method({
    name: 'le',
    doc: '1 where the element is less than the operand or equal to it, else 0. Shapes are broadcast.',
    parameters: [OPERAND],
    returns: 'tensor',
    call: isLessOrEqual,
  }),
  method({
    name: 'where',
    doc: 'Takes yes where the element of this tensor is not zero, and no where it is: t:gt(0):where(t, 0) replaces what is negative. The three shapes are broadcast together.',
    parameters: [
      { ...OPERAND, name: 'yes' },
      { ...OPERAND, name: 'no' },
    ],
    returns: 'tensor',
    call: where,
  }),
];
