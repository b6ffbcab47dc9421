import { int, ints } from '#core/onnx/attributes.ts';
import type { GraphAppender } from '#core/onnx/graph-appender.ts';

/** Statistics from calibration texts about the hidden states that a matrix multiplication reads. */
export interface InputStatistics {
  /** Largest absolute value of each column. */
  readonly largest: Float32Array;
  /** Sums of products of pairs of columns, but only for pairs within blocks of `block` adjacent columns. */
  readonly blocks: Float32Array;
  readonly block: number;
}

/**
 * Maximum number of columns in a block. Columns in different blocks are treated as independent, so
 * that rounding large models does not take too long.
 */
const MAX_BLOCK = 128;

/**
 * Returns the largest divisor of a width that does not exceed the maximum block size.
 * @internal Exported for tests only.
 */
export function blockOf(width: number): number {
  for (let size = Math.min(MAX_BLOCK, width); size > 1; size -= 1) if (width % size === 0) return size;
  return 1;
}

const PROBED = { name: 'statistics', shape: ['numbers'] };

/** The width of each measured value, by the value's name. */
export type Widths = ReadonlyMap<string, number>;

/**
 * Adds nodes that compute the statistics of hidden states, and makes their result the graph's only
 * output.
 */
export function appendStatistics(g: GraphAppender, widths: Widths): typeof PROBED {
  const parts = [...widths].flatMap(([value, width]) => {
    const rows = g.op('Reshape', [value, g.integers([-1, width])]);
    const block = blockOf(width);
    const columns = g.op('Reshape', [rows, g.integers([-1, width / block, block])]);
    const [left, right] = [
      [1, 2, 0],
      [1, 0, 2],
    ].map((perm) => g.op('Transpose', [columns], ints('perm', perm)));
    const products = g.op('MatMul', [left ?? '', right ?? '']);
    return [g.reduce('ReduceMax', g.op('Abs', [rows]), 0), g.op('Reshape', [products, g.integers([-1])])];
  });
  g.finish(g.op('Concat', parts, int('axis', 0)), PROBED);
  return PROBED;
}

/** Adds the statistics of one run to the totals. */
export function addStatistics(
  total: Map<string, InputStatistics>,
  numbers: Float32Array,
  widths: Widths,
): void {
  let at = 0;
  const take = (count: number): Float32Array => numbers.subarray(at, (at += count));
  for (const [value, width] of widths) {
    const block = blockOf(width);
    const [largest, blocks] = [take(width), take(width * block)];
    const before = total.get(value);
    if (!before) {
      total.set(value, { largest: largest.slice(), blocks: blocks.slice(), block });
      continue;
    }
    for (let column = 0; column < width; column += 1)
      before.largest[column] = Math.max(before.largest[column] ?? 0, largest[column] ?? 0);
    for (let index = 0; index < blocks.length; index += 1)
      before.blocks[index] = (before.blocks[index] ?? 0) + (blocks[index] ?? 0);
  }
}

/**
 * Adds nodes that divide hidden states by the column factors and compute each row's largest
 * absolute value, and makes their result the graph's only output.
 */
export function appendRowMaxima(g: GraphAppender, factors: ReadonlyMap<string, Float32Array>): typeof PROBED {
  const parts = [...factors].map(([value, factor]) => {
    const rows = g.op('Reshape', [value, g.integers([-1, factor.length])]);
    const smoothed = g.op('Div', [rows, g.floats(factor)]);
    return g.reduce('ReduceMax', g.op('Abs', [smoothed]), 1);
  });
  g.finish(g.op('Concat', parts, int('axis', 0)), PROBED);
  return PROBED;
}
