import type { Parameter } from '../member.ts';

// Parameters shared by several members.

export const AXIS = {
  name: 'axis',
  type: 'integer',
  doc: 'The axis: 1 is the first, -1 the last.',
} as const satisfies Parameter;

export const OPTIONAL_AXIS = {
  name: 'axis',
  type: 'integer',
  optional: true,
  doc: 'The axis: 1 is the first, -1 the last. Without it, all elements are reduced to one number.',
} as const satisfies Parameter;

export const OPERAND = {
  name: 'operand',
  type: 'operand',
  doc: 'A number, or a tensor whose shape can be broadcast.',
} as const satisfies Parameter;

export const SHAPE = {
  name: 'shape',
  type: 'integers',
  doc: 'The size of each axis, for example {2, 3}; {} is a tensor without axes and with one element.',
} as const satisfies Parameter;

export const TABLE = {
  name: 'table',
  type: 'table',
  doc: 'A list of numbers, or nested lists of equal length.',
} as const satisfies Parameter;
