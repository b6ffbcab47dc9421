import type { Batching } from '../../../contract/batching.ts';

/**
 * Groups texts into batches of similar length to reduce padding: sorted by length, at most `maxTokens` padded tokens per batch
 * (or one text of any length), and only texts that can share a run. Returns indexes into `lengths`.
 */
export function planBatches(
  lengths: readonly number[],
  maxTokens: number,
  batching: Batching = 'any',
): number[][] {
  const order = lengths.map((_, index) => index).sort((a, b) => lengthAt(lengths, a) - lengthAt(lengths, b));
  const batches: number[][] = [];
  let current: number[] = [];
  for (const index of order) {
    const [first] = current;
    const length = lengthAt(lengths, index);
    // The texts are sorted, so this one is the longest of the batch and determines its padded width.
    const fits = length * (current.length + 1) <= maxTokens;
    if (first !== undefined && !(fits && canShareRun(batching, lengthAt(lengths, first), length))) {
      batches.push(current);
      current = [];
    }
    current.push(index);
  }
  if (current.length > 0) batches.push(current);
  return batches;
}

/** Whether two texts of these lengths can share a run. */
export function canShareRun(batching: Batching, length: number, other: number): boolean {
  return batching === 'any' || (batching === 'equal_length' && length === other);
}

const lengthAt = (lengths: readonly number[], index: number): number => lengths[index] ?? 0;
