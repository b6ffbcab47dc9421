import type { ByteSource } from '#contract/container/byte-source.ts';
import type { TensorProto } from '#gen/onnx/v1/onnx_pb.ts';
import { FLOAT32, INT8 } from '../onnx/element-types.ts';
import type { Product, ProductGroup } from './find-products.ts';
import type { InputStatistics } from './probe-graph.ts';
import { type DiagonalBlocks, roundMatrix } from './round-matrix.ts';
import { smoothingFactors } from './smoothing.ts';
import { readFloats, type WeightsWriter } from './weights-file.ts';

/** A tensor as integers with scales: of its columns, or of its rows. */
export interface IntegerTensor {
  readonly integers: TensorProto;
  readonly scales: TensorProto;
}

/** The matrices of a group as integers, by the names of their tensors. */
export interface RoundedGroup {
  /** Hidden states are divided by these factors before they are rounded, one for each column. */
  readonly factors: Float32Array;
  readonly matrices: ReadonlyMap<string, IntegerTensor>;
}

/** Rounds all matrices of a group, given the statistics of its inputs. */
export async function roundGroup(
  { inputs, products }: ProductGroup,
  statistics: ReadonlyMap<string, InputStatistics>,
  weights: ByteSource,
  writer: WeightsWriter,
): Promise<RoundedGroup> {
  const found = inputs.flatMap((input) => statistics.get(input) ?? []);
  const distinct = [...new Map(products.map((product) => [product.weight.name, product])).values()].map(
    (product) => ({ ...product, values: matrixOf(product, weights) }),
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
  for (const { weight, inputs: rows, outputs, values } of distinct) {
    for (let row = 0; row < rows; row += 1) {
      const factor = factors[row] ?? 1;
      for (let at = row * outputs; at < (row + 1) * outputs; at += 1) values[at] = (values[at] ?? 0) * factor;
    }
    const rounded = roundMatrix({ values, inputs: rows, outputs }, blocks);
    matrices.set(weight.name, {
      integers: await writer.add(`${weight.name}_integers`, INT8, [rows, outputs], [rounded.values]),
      scales: await writer.add(`${weight.name}_scales`, FLOAT32, [outputs], [rounded.scales]),
    });
  }
  return { factors, matrices };
}

/** The sums of products of columns after their division by factors. */
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

/** The values of a matrix as inputs x outputs. */
function matrixOf(
  { weight, inputs, outputs, isTransposed, alpha }: Product,
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
