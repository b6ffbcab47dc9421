import type { InputName } from '../../../contract/manifest.ts';
import type { TokenBatch } from '../batching/padding.ts';
import { Tensor } from '../../../platform/onnx/session.ts';

/**
 * Builds the model inputs by name, independent of their declared order, with only the inputs the model has. `firstPosition` is the
 * position of the first token.
 */
export function feedsOf(
  batch: TokenBatch,
  inputs: readonly InputName[],
  firstPosition = 0,
): Record<string, Tensor> {
  const { lengths, columns } = batch;
  const dims = [lengths.length, columns];
  return Object.fromEntries(
    inputs.map((name) => [name, new Tensor('int64', widen(FILL[name](batch, firstPosition)), dims)]),
  );
}

const FILL: Record<InputName, (batch: TokenBatch, firstPosition: number) => Int32Array> = {
  input_ids: ({ ids }) => ids,
  attention_mask: ({ lengths, attended = lengths, columns }) =>
    fillRows({ lengths: attended, columns }, (column, length) => (column < length ? 1 : 0)),
  token_type_ids: ({ ids, typeIds }) => typeIds ?? new Int32Array(ids.length),
  position_ids: (batch, first) => fillRows(batch, (column) => first + column),
};

function fillRows(
  { lengths, columns }: Pick<TokenBatch, 'lengths' | 'columns'>,
  value: (column: number, length: number) => number,
): Int32Array {
  const filled = new Int32Array(lengths.length * columns);
  for (const [row, length] of lengths.entries()) {
    for (let column = 0; column < columns; column++) filled[row * columns + column] = value(column, length);
  }
  return filled;
}

/** Writes int64 values through their low words, which is several times faster than creating a BigInt for each. */
function widen(values: Int32Array): BigInt64Array {
  const wide = new BigInt64Array(values.length);
  const words = new Int32Array(wide.buffer);
  for (const [index, value] of values.entries()) words[index * 2] = value;
  return wide;
}
