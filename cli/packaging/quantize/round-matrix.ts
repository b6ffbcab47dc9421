/** An integer matrix with one scale per column. */
export interface IntegerMatrix {
  /** The integers, inputs x outputs. */
  readonly values: Int8Array;
  readonly scales: Float32Array;
}

/** A matrix of inputs x outputs, which is overwritten. */
export interface FloatMatrix {
  readonly values: Float32Array;
  readonly inputs: number;
  readonly outputs: number;
}

/** Sums of products of the columns that are multiplied by a matrix's rows, in blocks along the diagonal. */
export interface DiagonalBlocks {
  readonly values: Float32Array;
  readonly block: number;
}

const LARGEST = 127;
/**
 * Maximum sum of the absolute values of two adjacent integers in a column. CPUs with AVX2 but
 * without VNNI add the products of two adjacent integers in 16 bits: 255 x 128 fits, but 255 x 129
 * does not.
 */
const LARGEST_PAIR = 128;
/**
 * Number that is added to the diagonal, relative to its mean, because columns that are 0 in all
 * texts would make a block singular.
 */
const DAMPING = 0.01;

/**
 * Rounds a matrix to integers in such a way that its product with typical hidden states changes as
 * little as possible: the error of each row is compensated by later rows in the same block.
 */
export function roundMatrix(matrix: FloatMatrix, { values: sums, block }: DiagonalBlocks): IntegerMatrix {
  const { values, inputs, outputs } = matrix;
  const scales = scalesOf(matrix);
  const rounded = new Int8Array(inputs * outputs);
  const errors = new Float32Array(outputs);
  for (let first = 0; first < inputs; first += block) {
    const compensation = compensationOf(sums.subarray(first * block, (first + block) * block), block);
    for (let at = 0; at < block; at += 1) {
      const row = first + at;
      const start = row * outputs;
      // The values in the second row of a pair are limited by those in the first row.
      const paired = row % 2 === 1 ? start - outputs : -1;
      const pivot = compensation[at * block + at] ?? 1;
      for (let column = 0; column < outputs; column += 1) {
        const scale = scales[column] ?? 1;
        const value = values[start + column] ?? 0;
        const limit =
          paired < 0 ? LARGEST : Math.min(LARGEST, LARGEST_PAIR - Math.abs(rounded[paired + column] ?? 0));
        const integer = Math.min(limit, Math.max(-limit, Math.round(value / scale)));
        rounded[start + column] = integer;
        errors[column] = (value - integer * scale) / pivot;
      }
      for (let later = at + 1; later < block; later += 1) {
        const share = compensation[at * block + later] ?? 0;
        if (share === 0) continue;
        const target = (first + later) * outputs;
        for (let column = 0; column < outputs; column += 1)
          values[target + column] = (values[target + column] ?? 0) - share * (errors[column] ?? 0);
      }
    }
  }
  return { values: rounded, scales };
}

/** Returns the smallest scale for each column at which no value and no pair of adjacent values overflows. */
function scalesOf({ values, inputs, outputs }: FloatMatrix): Float32Array {
  const scales = new Float32Array(outputs).fill(Number.MIN_VALUE);
  for (let row = 0; row < inputs; row += 1) {
    const previous = row % 2 === 1 ? (row - 1) * outputs : -1;
    for (let column = 0; column < outputs; column += 1) {
      const value = Math.abs(values[row * outputs + column] ?? 0);
      const pair = previous < 0 ? 0 : value + Math.abs(values[previous + column] ?? 0);
      scales[column] = Math.max(scales[column] ?? 0, value / LARGEST, pair / LARGEST_PAIR, 1e-12);
    }
  }
  return scales;
}

/**
 * Returns the upper Cholesky factor of a block's inverse. Its row `i` determines how the error of
 * matrix row `i` is distributed over the following rows (GPTQ, https://arxiv.org/abs/2210.17323).
 */
function compensationOf(block: Float32Array, size: number): Float64Array {
  const sums = Float64Array.from(block);
  let mean = 0;
  for (let at = 0; at < size; at += 1) mean += (sums[at * size + at] ?? 0) / size;
  for (let at = 0; at < size; at += 1) {
    const index = at * size + at;
    sums[index] = (sums[index] ?? 0) + DAMPING * mean + 1e-12;
  }
  return transposed(cholesky(inverse(cholesky(sums, size), size), size), size);
}

/** Returns the lower triangular factor L of a symmetric, positive definite matrix L Lᵀ. */
function cholesky(matrix: Float64Array, size: number): Float64Array {
  const lower = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = matrix[row * size + column] ?? 0;
      for (let at = 0; at < column; at += 1)
        sum -= (lower[row * size + at] ?? 0) * (lower[column * size + at] ?? 0);
      lower[row * size + column] =
        row === column ? Math.sqrt(Math.max(sum, 1e-30)) : sum / (lower[column * size + column] ?? 1);
    }
  }
  return lower;
}

/** Returns the inverse of L Lᵀ. */
function inverse(lower: Float64Array, size: number): Float64Array {
  const inverted = new Float64Array(size * size);
  for (let column = 0; column < size; column += 1) {
    for (let row = column; row < size; row += 1) {
      let sum = row === column ? 1 : 0;
      for (let at = column; at < row; at += 1)
        sum -= (lower[row * size + at] ?? 0) * (inverted[at * size + column] ?? 0);
      inverted[row * size + column] = sum / (lower[row * size + row] ?? 1);
    }
  }
  const result = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = 0;
      for (let at = row; at < size; at += 1)
        sum += (inverted[at * size + row] ?? 0) * (inverted[at * size + column] ?? 0);
      result[row * size + column] = sum;
      result[column * size + row] = sum;
    }
  }
  return result;
}

function transposed(matrix: Float64Array, size: number): Float64Array {
  return Float64Array.from(
    matrix,
    (_, index) => matrix[(index % size) * size + Math.floor(index / size)] ?? 0,
  );
}
