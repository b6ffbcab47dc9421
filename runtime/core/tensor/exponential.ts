/** Tables of powers of two, in two steps to keep them small. */
export interface Powers {
  /** 2^(k/16) for k from 0 to 63. */
  readonly fine: Float64Array;
  /** 16^k for k from -COARSE_BELOW on. */
  readonly coarse: Float64Array;
}

/**
 * e to the power of a value, for results that are rounded to float32: the relative error is below 1e-10, and Math.exp, which is
 * exact to nearly the last bit of a double, takes three times as long. Call `createPowers()` once per batch of values.
 */
export function exponential(value: number, { fine, coarse }: Powers): number {
  // Beyond these limits, a float32 and its reciprocal are 0 or infinite. NaN stays NaN, and branches would be slow for mixed
  // values.
  const exponent = Math.min(Math.max(value, MIN_EXPONENT), MAX_EXPONENT);
  const sixteenths = Math.floor(exponent * SIXTEENTHS_PER_ONE + 0.5);
  const power = (sixteenths + COARSE_BELOW * 64) | 0;
  // For such a small number, five terms of the series of e^x suffice.
  const rest = exponent - sixteenths * SIXTEENTH;
  const square = rest * rest;
  const series = 1 + rest + square * (1 / 2 + rest * (1 / 6) + square * (1 / 24));
  return (coarse[power >> 6] ?? 0) * (fine[power & 63] ?? 0) * series;
}

export function createPowers(): Powers {
  return { fine: geometric(1, 2 ** (1 / 16), 64), coarse: geometric(16 ** -COARSE_BELOW, 16, 80) };
}

function geometric(first: number, ratio: number, count: number): Float64Array {
  const numbers = new Float64Array(count);
  let number = first;
  for (let index = 0; index < count; index++) {
    numbers[index] = number;
    number *= ratio;
  }
  return numbers;
}

const MIN_EXPONENT = -110;
const MAX_EXPONENT = 110;
const SIXTEENTH = Math.LN2 / 16;
const SIXTEENTHS_PER_ONE = 16 / Math.LN2;
const COARSE_BELOW = 40;
