/** Words as numbers, for faster comparison. */
export type Sequence = Uint32Array;

/** Length of the longest common subsequence. */
export function commonLength(reference: Sequence, candidate: Sequence): number {
  const lengths = new Uint32Array(candidate.length + 1);
  for (const word of reference) nextRow(lengths, word, candidate);
  return lengths[candidate.length] ?? 0;
}

/** Positions of a longest common subsequence in the reference; of several, the one that rouge-score chooses. */
export function commonPositions(reference: Sequence, candidate: Sequence): number[] {
  const width = candidate.length;
  // Whether the path goes left at a cell: one byte per cell, where lengths would take four.
  const leftward = new Uint8Array(reference.length * width);
  const lengths = new Uint32Array(width + 1);
  reference.forEach((word, row) => {
    const above = lengths.slice();
    nextRow(lengths, word, candidate);
    for (let column = 0; column < width; column += 1) {
      leftward[row * width + column] = Number((lengths[column] ?? 0) > (above[column + 1] ?? 0));
    }
  });
  const positions: number[] = [];
  let [row, column] = [reference.length - 1, width - 1];
  while (row >= 0 && column >= 0) {
    if (reference[row] === candidate[column]) {
      positions.push(row);
      row -= 1;
      column -= 1;
    } else if (leftward[row * width + column] === 1) column -= 1;
    else row -= 1;
  }
  return positions.toReversed();
}

/**
 * Updates the lengths of the reference before `word` to include it. `lengths[n]` is for the first `n` words of the candidate.
 */
function nextRow(lengths: Uint32Array, word: number, candidate: Sequence): void {
  let diagonal = 0;
  for (let column = 0; column < candidate.length; column += 1) {
    const above = lengths[column + 1] ?? 0;
    lengths[column + 1] = candidate[column] === word ? diagonal + 1 : Math.max(above, lengths[column] ?? 0);
    diagonal = above;
  }
}
