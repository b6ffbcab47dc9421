import type { Steps } from '#core/limits/steps.ts';
import { seededRandom } from './random.ts';

export interface RandomizationOptions {
  /** Number of rounds. Default: 10,000. */
  readonly rounds?: number;
  readonly seed?: number;
}

/**
 * The paired two-sided randomization test on score differences of two models: if both models were equally good, the sign of
 * each difference would be random. If the number of sign combinations does not exceed the rounds, all are tried and the result
 * is exact; otherwise signs are drawn, 32 rows per random number, and the observed combination counts as one more round, so
 * that the p-value is never 0.
 */
export function* randomizationTest(
  differences: Float64Array,
  { rounds = 10_000, seed = 1 }: RandomizationOptions = {},
): Steps<number> {
  // A difference of 0 has no sign.
  const counting = differences.filter((difference) => difference !== 0);
  const observed = Math.abs(sumWithSigns(counting, () => 0));
  // Sums in a different order can differ in their last digits.
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

/**
 * A set bit flips the sign of a row; the lowest bit belongs to the first row. Written without branches, because random branches
 * cannot be predicted.
 */
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
