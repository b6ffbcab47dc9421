import type { Parameter } from '../member.ts';

// Parameters that several members have.

export const AXIS = {
  name: 'axis',
  type: 'integer',
  doc: 'The axis: 1 is the first, -1 the last.',
} as const satisfies Parameter;

export const OPTIONAL_AXIS = {
  name: 'axis',
  type: 'integer',
  optional: true,
  doc: 'The axis: 1 is the first, -1 the last. Without it, all elements count as one.',
} as const satisfies Parameter;

export const OPERAND = {
  name: 'operand',
  type: 'operand',
  doc: 'A number, or a tensor whose shape fits by broadcasting.',
} as const satisfies Parameter;

export const SHAPE = {
  name: 'shape',
  type: 'integers',
  doc: 'How many elements along each axis, as in {2, 3}; {} is a tensor of one element without axes.',
} as const satisfies Parameter;

export const TABLE = {
  name: 'table',
  type: 'table',
  doc: 'A list of numbers, or a list of lists that are all of one length, and so on.',
} as const satisfies Parameter;
