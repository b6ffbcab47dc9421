import { configError } from '#contract/errors.ts';
import { ints } from '#core/onnx/attributes.ts';
import type { Value } from './graph-writer.ts';
import type { ImageGraph, ImageSize } from './image-graph.ts';

/** Maximum number of pairs of cells. Published models have a quarter of it. */
const MAX_PAIRS = 4_194_304;

/** Rejects windows whose biases would take gigabytes. `cells` is the number of cells of one window. */
export function checkPairs(cells: number, windows = 1): void {
  const pairs = windows * cells * cells;
  if (pairs <= MAX_PAIRS) return;
  throw configError(
    `Attention in ${windows} windows of ${cells} cells has ${pairs} pairs, but the maximum is ${MAX_PAIRS}. Use the config.json and preprocessor_config.json that belong to the weights.`,
  );
}

/** Number of offsets between two cells of a window. */
export const offsetCount = ({ height, width }: ImageSize): number => (2 * height - 1) * (2 * width - 1);

/** For each pair of cells of a window, the number of their offset; cells x cells. */
export function offsetsOf({ height, width }: ImageSize): number[][] {
  checkPairs(height * width);
  const cells = Array.from(
    { length: height * width },
    (_, at) => [Math.floor(at / width), at % width] as const,
  );
  return cells.map(([row, column]) =>
    cells.map(
      ([otherRow, otherColumn]) =>
        (row - otherRow + height - 1) * (2 * width - 1) + (column - otherColumn + width - 1),
    ),
  );
}

/** The attention bias of each pair, from a table of offsets x heads; 1 x heads x length x length. */
export function biasOfOffsets(g: ImageGraph, table: string, offsets: readonly (readonly number[])[]): Value {
  const { writer } = g;
  const indices = writer.integers(offsets.flat(), [offsets.length, offsets.length]);
  const heads = writer.op(
    'Transpose',
    [writer.op('Gather', [g.weight(table), indices])],
    ints('perm', [2, 0, 1]),
  );
  return writer.op('Unsqueeze', [heads, writer.integers([0])]);
}
