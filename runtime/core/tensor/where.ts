import { broadcastShapes } from './broadcast.ts';
import { combineInto, type Row } from './combine.ts';
import { type Allocate, createTensor, type Operand, type Tensor, toTensor } from './tensor.ts';

/** Selects the element of `yes` where the condition is not zero, and of `no` where it is zero. NaN is not zero. */
export function where(allocate: Allocate, condition: Tensor, yes: Operand, no: Operand): Tensor {
  const [a, b] = [toTensor(yes), toTensor(no)];
  const choices = broadcastShapes(a.shape, b.shape, 'where');
  const out = createTensor(allocate, broadcastShapes(condition.shape, choices, 'where'));
  combineInto(out, condition, a, writeWhereSet);
  combineInto(out, condition, b, writeWhereZero);
  return out;
}

function writeWhereSet({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: Row): void {
  for (let i = 0; i < count; i++) {
    if ((left[leftAt + i * leftStep] ?? 0) !== 0) out[at + i] = right[rightAt + i * rightStep] ?? 0;
  }
}

function writeWhereZero({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: Row): void {
  for (let i = 0; i < count; i++) {
    if ((left[leftAt + i * leftStep] ?? 0) === 0) out[at + i] = right[rightAt + i * rightStep] ?? 0;
  }
}
