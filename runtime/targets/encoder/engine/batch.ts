import type { FixedShape } from '#contract/fixed-shape.ts';
import {
  ADAPTER_INPUT,
  type InputName,
  LABEL_PREFIX,
  type LabelInputName,
  PIXEL_INPUT,
  ROWS_INPUT,
  type TokenInputName,
  WORD_INPUT_NAMES,
  type WordInputName,
} from '#contract/manifest.ts';
import { type PaddedRows, padRows } from '#core/model/pad-rows.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { WORD_INPUTS, type WordBatch } from '#core/model/word-inputs.ts';
import { integerTensor, type OnnxTensor, wordTensor } from '#platform/onnx/session.ts';

/**
 * The token ids of a batch, row by row. All rows are padded on the right to the same width;
 * `lengths` contains their unpadded lengths.
 */
export interface TokenBatch extends PaddedRows {
  /** Token type ids; undefined if all are 0. */
  readonly typeIds?: Int32Array | undefined;
  /** For each text, the index of its adapter or -1; undefined if no text has one. */
  readonly adapters?: Int32Array | undefined;
  /**
   * For each text, the number of leading tokens that its tokens attend to; undefined if they attend
   * to all tokens.
   */
  readonly attended?: Int32Array | undefined;
  /** The files of the images, for models that read images. */
  readonly images?: readonly Uint8Array[] | undefined;
  /** Each text's words, for zero_shot_ner models. */
  readonly words?: WordBatch | undefined;
  /** The entity types, for zero_shot_ner models with a second encoder. */
  readonly labels?: PaddedRows | undefined;
}

/**
 * Always pads on the right, regardless of the tokenizer's setting: the mask hides the padding, and
 * every token keeps the position that it has without padding.
 */
export function padBatch(
  rows: readonly Pick<
    TokenizedText,
    'ids' | 'image' | 'typeIds' | 'adapter' | 'attended' | 'words' | 'labels'
  >[],
  padId: number,
): TokenBatch {
  const { ids, lengths, columns } = padRows(rows, padId);
  const typeIds = rows.some((row) => row.typeIds) ? new Int32Array(ids.length) : undefined;
  for (const [index, row] of rows.entries()) if (row.typeIds) typeIds?.set(row.typeIds, index * columns);
  const attended = rows.some((row) => row.attended !== undefined)
    ? Int32Array.from(rows, (row) => row.attended ?? row.ids.length)
    : undefined;
  const adapters = rows.some((row) => row.adapter !== undefined)
    ? Int32Array.from(rows, (row) => row.adapter ?? NO_ADAPTER)
    : undefined;
  const files = rows.flatMap(({ image }) => image ?? []);
  const images = files.length > 0 ? files : undefined;
  const words = wordsOf(rows, columns);
  return { ids, images, typeIds, lengths, adapters, attended, columns, words, labels: rows[0]?.labels };
}

/**
 * Padding does not belong to a word. A text without words gets a placeholder word, whose output is
 * ignored, because models cannot run without words.
 */
function wordsOf(rows: readonly Pick<TokenizedText, 'words'>[], columns: number): WordBatch | undefined {
  if (!rows.some(({ words }) => words)) return undefined;
  const mask = new Int32Array(rows.length * columns);
  for (const [index, { words }] of rows.entries()) if (words) mask.set(words.mask, index * columns);
  return { mask, counts: Int32Array.from(rows, ({ words }) => Math.max(1, words?.count ?? 0)) };
}

/**
 * Extends a batch to the sizes that a graph requires. Additional rows repeat the first row, because
 * the result for a row of padding can be NaN.
 */
export function padToShape(batch: TokenBatch, padId: number, shape: FixedShape = {}): TokenBatch {
  const { texts = batch.lengths.length, tokens: columns = batch.columns } = shape;
  if (texts === batch.lengths.length && columns === batch.columns) return batch;
  const sources = Array.from({ length: texts }, (_, row) => (row < batch.lengths.length ? row : 0));
  const spread = (values: Int32Array, fill: number): Int32Array => {
    const result = new Int32Array(texts * columns).fill(fill);
    for (const [row, source] of sources.entries()) {
      const start = source * batch.columns;
      result.set(values.subarray(start, start + batch.columns), row * columns);
    }
    return result;
  };
  return {
    ids: spread(batch.ids, padId),
    typeIds: batch.typeIds && spread(batch.typeIds, 0),
    lengths: Int32Array.from(sources, (source) => batch.lengths[source] ?? 0),
    adapters: batch.adapters && Int32Array.from(sources, (source) => batch.adapters?.[source] ?? NO_ADAPTER),
    attended: batch.attended && Int32Array.from(sources, (source) => batch.attended?.[source] ?? 0),
    columns,
  };
}

interface FeedOptions {
  /** Position of the first token. */
  readonly firstPosition?: number | undefined;
  /** Maximum number of words in a span. */
  readonly maxWidth?: number | undefined;
  /** Number of tokens of each text for which the model returns vectors, for models with this input. Default: all. */
  readonly rows?: number | undefined;
}

/** Builds the inputs that the model declares, by name, because the order of the declarations varies. */
export function feedsOf(
  batch: TokenBatch,
  inputs: readonly InputName[],
  { firstPosition = 0, maxWidth = 0, rows = batch.columns }: FeedOptions = {},
): Record<string, OnnxTensor> {
  const { words, labels } = batch;
  const cells = (name: TextInputName, rows: TokenBatch): OnnxTensor =>
    integerTensor(FILL[name](rows, firstPosition), [rows.lengths.length, rows.columns]);
  const tensor = (name: InputName): OnnxTensor => {
    if (name === PIXEL_INPUT) throw new Error('a batch of texts has no pixels');
    if (name === ROWS_INPUT) return integerTensor(Int32Array.of(rows), [1]);
    if (isWordInput(name)) return wordTensor(WORD_INPUTS[name](required(words, name), maxWidth));
    if (isLabelInput(name)) return cells(ownName(name), required(labels, name));
    return cells(name, batch);
  };
  return Object.fromEntries(inputs.map((name) => [name, tensor(name)]));
}

function required<Value>(value: Value | undefined, input: InputName): Value {
  if (value === undefined) throw new Error(`tokenized without the values of ${input}`);
  return value;
}

/** The value of `adapter_ids` for texts without an adapter. */
const NO_ADAPTER = -1;

/** Inputs with a value for each token. */
type TextInputName = Exclude<
  InputName,
  WordInputName | LabelInputName | typeof PIXEL_INPUT | typeof ROWS_INPUT
>;

const FILL: Record<TextInputName, (batch: TokenBatch, firstPosition: number) => Int32Array> = {
  input_ids: ({ ids }) => ids,
  attention_mask: ({ lengths, attended = lengths, columns }) =>
    fillRows({ lengths: attended, columns }, (column, length) => (column < length ? 1 : 0)),
  token_type_ids: ({ ids, typeIds }) => typeIds ?? new Int32Array(ids.length),
  position_ids: (batch, first) => fillRows(batch, (column) => first + column),
  [ADAPTER_INPUT]: ({ lengths, adapters = new Int32Array(lengths.length).fill(NO_ADAPTER), columns }) =>
    fillRows({ lengths: adapters, columns }, (_, adapter) => adapter),
};

const isWordInput = (name: InputName): name is WordInputName =>
  WORD_INPUT_NAMES.some((known) => known === name);

const isLabelInput = (name: TextInputName | LabelInputName): name is LabelInputName =>
  name.startsWith(LABEL_PREFIX);

/** The name of an input of the second encoder in an encoder of its own. */
const ownName = (name: LabelInputName): TokenInputName => name.slice(LABEL_PREFIX.length) as TokenInputName;

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
