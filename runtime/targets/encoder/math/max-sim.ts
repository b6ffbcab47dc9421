/** Token vectors, row by row. */
export interface VectorRows {
  readonly values: Float32Array;
  readonly width: number;
}

/** Combines vectors of equal length into one list. */
export function joinRows(vectors: readonly Float32Array[]): VectorRows {
  const width = vectors[0]?.length ?? 0;
  const values = new Float32Array(vectors.length * width);
  for (const [row, vector] of vectors.entries()) values.set(vector, row * width);
  return { values, width };
}

/**
 * Combines the vectors of a query in memory that threads share, because the query is sent to a
 * thread with each document.
 */
export function sharedRows(vectors: readonly (readonly number[])[]): VectorRows {
  const width = vectors[0]?.length ?? 0;
  const values = new Float32Array(
    new SharedArrayBuffer(vectors.length * width * Float32Array.BYTES_PER_ELEMENT),
  );
  for (const [row, vector] of vectors.entries()) values.set(vector, row * width);
  return { values, width };
}

/**
 * The late interaction score: the sum, over the query vectors, of the largest dot product with a
 * document vector. Zero if the document has no vectors.
 */
export function maxSim(query: VectorRows, document: VectorRows): number {
  const { width } = query;
  if (document.values.length === 0) return 0;
  let sum = 0;
  for (let row = 0; row < query.values.length; row += width) {
    let greatest = -Infinity;
    for (let other = 0; other < document.values.length; other += width) {
      let product = 0;
      for (let at = 0; at < width; at++) {
        product += (query.values[row + at] ?? 0) * (document.values[other + at] ?? 0);
      }
      if (product > greatest) greatest = product;
    }
    sum += greatest;
  }
  return sum;
}
