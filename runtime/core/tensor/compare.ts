import { combine, type Row } from './combine.ts';
import { isSameShape } from './shape.ts';
import type { Allocate, Operand, Tensor } from './tensor.ts';

// 1 where the comparison holds, otherwise 0; comparisons with NaN never hold.

export const isGreater = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, 'gt', greaterRow);

export const isLess = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, right, left, 'lt', greaterRow);

export const isGreaterOrEqual = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, 'ge', greaterOrEqualRow);

export const isLessOrEqual = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, right, left, 'le', greaterOrEqualRow);

function greaterRow({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: Row): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) > (right[rightAt + i * rightStep] ?? 0) ? 1 : 0;
  }
}

function greaterOrEqualRow({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: Row): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) >= (right[rightAt + i * rightStep] ?? 0) ? 1 : 0;
  }
}

/** Whether shapes and elements are equal; NaN equals nothing. */
export function isEqual(left: Tensor, right: Tensor): boolean {
  if (!isSameShape(left.shape, right.shape)) return false;
  for (let at = 0; at < left.data.length; at++) {
    if (left.data[at] !== right.data[at]) return false;
  }
  return true;
}
