import { combine, type Row } from './combine.ts';
import type { Allocate, Operand, Tensor } from './tensor.ts';

export const add = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, '+', addRow);

export const subtract = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, '-', subtractRow);

export const multiply = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, '*', multiplyRow);

export const divide = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, '/', divideRow);

// Adding, multiplying or dividing doubles and rounding to float32 gives the same results as float32 arithmetic.

function addRow({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: Row): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) + (right[rightAt + i * rightStep] ?? 0);
  }
}

function subtractRow({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: Row): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) - (right[rightAt + i * rightStep] ?? 0);
  }
}

function multiplyRow({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: Row): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) * (right[rightAt + i * rightStep] ?? 0);
  }
}

function divideRow({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: Row): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) / (right[rightAt + i * rightStep] ?? 0);
  }
}
