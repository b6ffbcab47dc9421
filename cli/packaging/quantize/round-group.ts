import type { ByteSource } from '#contract/container/byte-source.ts';
import type { TensorProto, GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import { FLOAT32, INT8 } from '#core/onnx/element-types.ts';
import { formName, type MatMul, type MatMulGroup } from './find-matmuls.ts';
import type { InputStatistics } from './probe-graph.ts';
import { type DiagonalBlocks, roundMatrix } from './round-matrix.ts';
import { readFloats, type WeightsWriter } from './weights-file.ts';
import { isRowLookup } from '#core/onnx/facts.ts';

/** A tensor that is rounded to integers, with one scale per column or per row. */
export interface IntegerTensor {
  readonly integers: TensorProto;
  readonly scales: TensorProto;
}

/** A group's matrices, rounded to integers, by their `formName`. */
export interface RoundedGroup {
  /** Hidden states are divided by these factors before rounding, one per column. */
  readonly factors: Float32Array;
  readonly matrices: ReadonlyMap<string, IntegerTensor>;
}

/** Rounds all matrices of a group, given the statistics of the group's hidden states. */
export async function roundGroup(
  { inputs, matmuls }: MatMulGroup,
  statistics: ReadonlyMap<string, InputStatistics>,
  weights: ByteSource,
  writer: WeightsWriter,
): Promise<RoundedGroup> {
  const found = inputs.flatMap((input) => statistics.get(input) ?? []);
  const distinct = [...new Map(matmuls.map((matmul) => [formName(matmul), matmul])).values()].map(
    (matmul) => ({ ...matmul, name: formName(matmul), values: matrixOf(matmul, weights) }),
  );
  const rowMaxima = new Float32Array(distinct[0]?.inputs ?? 0);
  for (const { outputs, values } of distinct) {
    for (let row = 0; row < rowMaxima.length; row += 1) {
      let most = rowMaxima[row] ?? 0;
      for (let at = row * outputs; at < (row + 1) * outputs; at += 1)
        most = Math.max(most, Math.abs(values[at] ?? 0));
      rowMaxima[row] = most;
    }
  }
  const factors = smoothingFactors(found, rowMaxima);
  const blocks = smoothedBlocks(found, factors);
  const matrices = new Map<string, IntegerTensor>();
  for (const { name, inputs: rows, outputs, values } of distinct) {
    for (let row = 0; row < rows; row += 1) {
      const factor = factors[row] ?? 1;
      for (let at = row * outputs; at < (row + 1) * outputs; at += 1) values[at] = (values[at] ?? 0) * factor;
    }
    const rounded = roundMatrix({ values, inputs: rows, outputs }, blocks);
    matrices.set(name, {
      integers: await writer.add(`${name}_integers`, INT8, [rows, outputs], [rounded.values]),
      scales: await writer.add(`${name}_scales`, FLOAT32, [outputs], [rounded.scales]),
    });
  }
  return { factors, matrices };
}

/** Returns the sums of products of columns for columns that have been divided by the factors. */
function smoothedBlocks(statistics: readonly InputStatistics[], factors: Float32Array): DiagonalBlocks {
  const block = statistics[0]?.block ?? 1;
  const values = new Float32Array(factors.length * block);
  for (const { blocks } of statistics) {
    for (let index = 0; index < values.length; index += 1) {
      const row = Math.floor(index / block);
      const column = row - (row % block) + (index % block);
      values[index] =
        (values[index] ?? 0) + (blocks[index] ?? 0) / ((factors[row] ?? 1) * (factors[column] ?? 1));
    }
  }
  return { values, block };
}

/** Returns a matrix's values as inputs x outputs. */
export function matrixOf(
  { weight, inputs, outputs, isTransposed, alpha }: MatMul,
  weights: ByteSource,
): Float32Array {
  const stored = readFloats(weight, weights);
  if (!isTransposed && alpha === 1) return stored;
  const values = new Float32Array(stored.length);
  for (let row = 0; row < inputs; row += 1) {
    for (let column = 0; column < outputs; column += 1) {
      const from = isTransposed ? column * inputs + row : row * outputs + column;
      values[row * outputs + column] = alpha * (stored[from] ?? 0);
    }
  }
  return values;
}

/**
 * How much of the differences between the columns of hidden states is moved to the matrix.
 * Measurements with all-MiniLM-L6-v2 show that 0.5 and 0.8 are worse (docs/decisions/0079).
 */
const SHARE = 0.65;
const TINY = 1e-5;

/**
 * Returns the factors by which the columns of hidden states are divided and the rows of the
 * matrices are multiplied. Without these factors, a few columns with large values would determine
 * the scale of a whole row, so that the other columns would lose precision. The geometric mean of
 * the factors is 1.
 */
function smoothingFactors(
  statistics: readonly InputStatistics[],
  /** Returns the largest absolute value in each row of the matrices. */
  rowMaxima: Float32Array,
): Float32Array {
  const logs = Float64Array.from(rowMaxima, (ofRow, column) => {
    const ofColumn = statistics.reduce((most, { largest }) => Math.max(most, largest[column] ?? 0), TINY);
    return SHARE * Math.log(ofColumn) - (1 - SHARE) * Math.log(Math.max(ofRow, TINY));
  });
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return Float32Array.from(logs, (log) => Math.exp(log - mean));
}

/** Minimum size of embedding tables to quantize. Smaller tables contain positions and token types. */
const MIN_ROWS = 2048;
/** A large table is read in chunks. */
const ROWS_AT_ONCE = 4096;
const LARGEST = 127;

/** Rounds the tables in which a graph looks up rows, with one scale per row. */
export async function roundTables(
  graph: GraphProto,
  weights: ByteSource,
  writer: WeightsWriter,
): Promise<ReadonlyMap<string, IntegerTensor>> {
  const names = new Set(graph.node.filter(isRowLookup).map(({ input: [table = ''] }) => table));
  const tables = new Map<string, IntegerTensor>();
  for (const table of graph.initializer.filter((tensor) => names.has(tensor.name) && isLarge(tensor))) {
    const [rows = 0, width = 0] = table.dims.map(Number);
    const scales = new Float32Array(rows);
    const integers = await writer.add(
      `${table.name}_integer_rows`,
      INT8,
      [rows, width],
      roundRows(table, weights, scales),
    );
    tables.set(table.name, {
      integers,
      scales: await writer.add(`${table.name}_row_scales`, FLOAT32, [rows, 1], [scales]),
    });
  }
  return tables;
}

const isLarge = ({ dataType, dims }: TensorProto): boolean =>
  dataType === FLOAT32 && dims.length === 2 && Number(dims[0]) >= MIN_ROWS;

/** Yields a table's integers in chunks, and fills in the scales. */
function* roundRows(table: TensorProto, weights: ByteSource, scales: Float32Array): Iterable<Int8Array> {
  for (let first = 0; first < scales.length; first += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, scales.length - first);
    const values = readFloats(table, weights, { first, count });
    const width = values.length / count;
    const rounded = new Int8Array(values.length);
    for (let row = 0; row < count; row += 1) {
      const numbers = values.subarray(row * width, (row + 1) * width);
      const scale = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 1e-12) / LARGEST;
      scales[first + row] = scale;
      for (let column = 0; column < width; column += 1)
        rounded[row * width + column] = Math.round((numbers[column] ?? 0) / scale);
    }
    yield rounded;
  }
}
