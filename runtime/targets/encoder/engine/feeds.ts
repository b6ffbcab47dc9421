import { type InputName, type TokenInputName, WORD_INPUT_NAMES } from '#contract/manifest.ts';
import { WORD_INPUTS } from '#core/model/word-inputs.ts';
import type { TokenBatch } from '../batching/padding.ts';
import { OnnxTensor, integerTensor, wordTensor } from '#platform/onnx/session.ts';

export interface FeedOptions {
  /** Position of the first token. */
  readonly firstPosition?: number | undefined;
  /** Maximum number of words of a span. */
  readonly maxWidth?: number | undefined;
}

/** Builds the model inputs by name, independent of their declared order, with only the inputs the model has. */
export function feedsOf(
  batch: TokenBatch,
  inputs: readonly InputName[],
  { firstPosition = 0, maxWidth = 0 }: FeedOptions = {},
): Record<string, OnnxTensor> {
  const { lengths, columns, words } = batch;
  const dims = [lengths.length, columns];
  return Object.fromEntries(
    inputs.map((name): [string, OnnxTensor] => {
      if (!isWordInput(name)) return [name, integerTensor(FILL[name](batch, firstPosition), dims)];
      if (!words) throw new Error(`tokenized without words, which ${name} needs`);
      return [name, wordTensor(WORD_INPUTS[name](words, maxWidth))];
    }),
  );
}

const FILL: Record<TokenInputName, (batch: TokenBatch, firstPosition: number) => Int32Array> = {
  input_ids: ({ ids }) => ids,
  attention_mask: ({ lengths, attended = lengths, columns }) =>
    fillRows({ lengths: attended, columns }, (column, length) => (column < length ? 1 : 0)),
  token_type_ids: ({ ids, typeIds }) => typeIds ?? new Int32Array(ids.length),
  position_ids: (batch, first) => fillRows(batch, (column) => first + column),
};

const isWordInput = (name: InputName): name is (typeof WORD_INPUT_NAMES)[number] =>
  WORD_INPUT_NAMES.some((known) => known === name);

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
