/**
 * Groups texts into batches of similar length, so that little padding is computed: sorted by length, each batch at most
 * `maxTokens` padded tokens (or one text, however long). Returns positions into `lengths`.
 */
export function planBatches(lengths: readonly number[], maxTokens: number): number[][] {
  const order = lengths.map((_, index) => index).sort((a, b) => lengthAt(lengths, a) - lengthAt(lengths, b));
  const batches: number[][] = [];
  let current: number[] = [];
  for (const index of order) {
    // Sorted, so this text is the longest of the batch and sets its padded width.
    if (current.length > 0 && lengthAt(lengths, index) * (current.length + 1) > maxTokens) {
      batches.push(current);
      current = [];
    }
    current.push(index);
  }
  if (current.length > 0) batches.push(current);
  return batches;
}

const lengthAt = (lengths: readonly number[], index: number): number => lengths[index] ?? 0;
