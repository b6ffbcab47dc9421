import type { InputStatistics } from './probe-graph.ts';

/**
 * How much of the differences between columns of hidden states moves into the matrix. Measured with all-MiniLM-L6-v2: 0.5 and 0.8 are
 * worse (docs/decisions/0079).
 */
const SHARE = 0.65;
const TINY = 1e-5;

/**
 * Factors that the columns of hidden states are divided by, and rows of the matrices are multiplied by. Without them, a few columns with
 * large values would determine the scale of a whole row, and the others would lose their precision. Their geometric mean is 1.
 */
export function smoothingFactors(
  statistics: readonly InputStatistics[],
  /** Largest absolute value of each row of the matrices. */
  rowMaxima: Float32Array,
): Float32Array {
  const logs = Float64Array.from(rowMaxima, (ofRow, column) => {
    const ofColumn = statistics.reduce((most, { largest }) => Math.max(most, largest[column] ?? 0), TINY);
    return SHARE * Math.log(ofColumn) - (1 - SHARE) * Math.log(Math.max(ofRow, TINY));
  });
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return Float32Array.from(logs, (log) => Math.exp(log - mean));
}
