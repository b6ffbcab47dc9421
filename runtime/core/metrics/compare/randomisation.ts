import type { Steps } from '../../steps.ts';
import { seededRandom } from './random.ts';

export interface RandomisationOptions {
  /** 10,000 if nothing is said. */
  readonly rounds?: number;
  readonly seed?: number;
}

/**
 * The paired randomisation test, two-sided, of differences between the scores of two models, row by row: were both equally good,
 * each difference could as well have the other sign. Where all choices of signs are no more than the rounds, all are tried, and the
 * answer is exact; otherwise signs are drawn, 32 rows from one number of the generator, and the choice that was observed counts as
 * one more round, so that no answer is 0.
 */
export function* randomisationTest(
  differences: Float64Array,
  { rounds = 10_000, seed = 1 }: RandomisationOptions = {},
): Steps<number> {
  // A difference of 0 has no sign to change.
  const counting = differences.filter((difference) => difference !== 0);
  const observed = Math.abs(sumWithSigns(counting, () => 0));
  // Sums in another order may differ in their last digits.
  const atLeast = observed * (1 - 1e-12);
  const isExact = counting.length <= Math.log2(rounds);
  const choices = isExact ? 2 ** counting.length : rounds;
  const random = seededRandom(seed);
  let asUneven = isExact ? 0 : 1;
  for (let choice = 0; choice < choices; choice++) {
    const sum = sumWithSigns(counting, isExact ? () => choice : random.uint32);
    if (Math.abs(sum) >= atLeast) asUneven += 1;
    yield;
  }
  return asUneven / (isExact ? choices : choices + 1);
}

/** A set bit turns the sign of a row; the lowest bit is of the first row. Without a branch, as no processor can foresee these. */
function sumWithSigns(differences: Float64Array, nextBits: () => number): number {
  let sum = 0;
  for (let from = 0; from < differences.length; from += 32) {
    const to = Math.min(from + 32, differences.length);
    let bits = nextBits();
    for (let at = from; at < to; at++) {
      sum += (differences[at] ?? 0) * (1 - 2 * (bits & 1));
      bits >>>= 1;
    }
  }
  return sum;
}
