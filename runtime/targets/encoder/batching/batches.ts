import type { RunRules } from '#contract/batching.ts';

/**
 * Groups texts into batches of similar length to reduce padding: sorted by length, at most `maxTokens` padded tokens per batch
 * (or one text of any length), and only texts that can share a run. Returns indexes into `lengths`.
 */
export function planBatches(lengths: readonly number[], maxTokens: number, rules: RunRules = {}): number[][] {
  const order = lengths.map((_, index) => index).sort((a, b) => lengthAt(lengths, a) - lengthAt(lengths, b));
  const batches: number[][] = [];
  let current: number[] = [];
  for (const index of order) {
    const [first] = current;
    const length = lengthAt(lengths, index);
    // The texts are sorted, so this one is the longest of the batch and determines its padded width.
    const fits = hasRoom(rules, current.length, length, maxTokens);
    if (first !== undefined && !(fits && canShareRun(rules, lengthAt(lengths, first), length))) {
      batches.push(current);
      current = [];
    }
    current.push(index);
  }
  if (current.length > 0) batches.push(current);
  return batches;
}

/** Whether a batch of `count` texts has room for one more, if it is then as wide as `length` tokens. */
export function hasRoom(rules: RunRules, count: number, length: number, maxTokens: number): boolean {
  const { texts } = rules.fixedShape ?? {};
  // A run of a fixed number of texts takes as long with padding in place of some of them.
  return texts === undefined ? widthOf(rules, length) * (count + 1) <= maxTokens : count < texts;
}

/** Number of tokens, padding included, that a text of this length has at least in a run. */
export const widthOf = ({ fixedShape }: RunRules, length: number): number => fixedShape?.tokens ?? length;

/** Whether two texts of these lengths can share a run. */
export function canShareRun({ batching = 'any' }: RunRules, length: number, other: number): boolean {
  return batching === 'any' || (batching === 'equal_length' && length === other);
}

const lengthAt = (lengths: readonly number[], index: number): number => lengths[index] ?? 0;
