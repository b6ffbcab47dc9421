import { combine, type Row } from './combine.ts';
import { squareRoot } from './elementwise.ts';
import type { Allocate, Operand, Tensor } from './tensor.ts';

/** Raises each element of the base to the exponent. 0.5 is the square root, as in numpy: NaN for -infinity. */
export function power(allocate: Allocate, base: Tensor, exponent: Operand): Tensor {
  if (exponent === 0.5) return squareRoot(allocate, base);
  return combine(allocate, base, exponent, 'pow', exponent === 2 ? squareRow : powerRow);
}

function powerRow({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: Row): void {
  for (let i = 0; i < count; i++) {
    const base = left[leftAt + i * leftStep] ?? 0;
    const exponent = right[rightAt + i * rightStep] ?? 0;
    // C and numpy return 1 here, JavaScript returns NaN.
    const isOne = base === 1 || (base === -1 && Math.abs(exponent) === Infinity);
    out[at + i] = isOne ? 1 : base ** exponent;
  }
}

/** The most common exponent, ten times as fast. */
function squareRow({ out, at, count, left, leftAt, leftStep }: Row): void {
  for (let i = 0; i < count; i++) {
    const base = left[leftAt + i * leftStep] ?? 0;
    out[at + i] = base * base;
  }
}
