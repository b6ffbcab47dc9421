import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import { configError } from '#contract/errors.ts';
import type { TableElement } from '#contract/token-table.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { openTokenTable, tableLayout, tableParts, type TableShape } from '#core/model/token-table.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { itemAt } from '#core/values/item-at.ts';
import { memberOf } from '#core/values/member-of.ts';
import { withFileSource } from '#platform/file-source.ts';
import { bytesInOrder, type StoredTensor, type StoredType } from '../architectures/stored-tensor.ts';
import { tensorFloats } from '../model/layer-weights.ts';
import { SAMPLE_TEXTS } from '../model/prepare-graph.ts';
import type { PreparedGraph } from '../model/prepared-graph.ts';
import type { PreparedTokenizer } from '../model/prepare-tokenizer.ts';
import { PER_TEXT, TEXT_VECTORS } from '../onnx/select-output.ts';
import { findTable, type FoundTable } from './find-table.ts';

/** Types that stay as they are. Others become float32. */
const ELEMENT_OF: Partial<Record<StoredType, TableElement>> = { F16: 'float16', I8: 'int8' };

/** Prepares the table of a static model, and writes it to `folder`. */
export async function prepareTable(
  path: string,
  tokenizer: PreparedTokenizer,
  folder: string,
): Promise<PreparedGraph> {
  const found = await findTable(path);
  const { vocabularySize } = tokenizer.settings;
  const [rows = 0, width = 0] = found.rows.shape;
  const shape = {
    rows,
    elements: ELEMENT_OF[found.rows.type] ?? ('float32' as const),
    hasWeights: found.weights !== undefined,
    hasMapping: found.mapping !== undefined,
    ...(found.isModel2vec ? skippedToken(tokenizer) : {}),
    width,
    vocabularySize,
  };
  checkSizes(found, shape, path);
  return await writeTable(
    shape,
    await readBytes(found, shape, path),
    tokenizer,
    join(folder, ASSETS.weights),
  );
}

/** Writes a table to a file, and computes the vectors of sample texts with it. */
export async function writeTable(
  shape: TableShape,
  bytes: ArrayBufferLike,
  tokenizer: PreparedTokenizer,
  weightsPath: string,
): Promise<PreparedGraph> {
  const { width, vocabularySize: _, ...table } = shape;
  await writeFile(weightsPath, new Uint8Array(bytes));
  const meanOf = openTokenTable(shape, tableParts(shape, bytes));
  const samples = await tokenizer.tokenizer.encode(SAMPLE_TEXTS);
  return {
    graphPath: undefined,
    weightsPath,
    signature: { inputs: ['input_ids'], output: { name: itemAt(TEXT_VECTORS, 0), shape: PER_TEXT } },
    precision: shape.elements,
    fixedShape: undefined,
    firstPosition: undefined,
    tokenOutputs: undefined,
    changes: [],
    width,
    batching: 'any',
    maxLength: tokenizer.settings.maxLength,
    samples: samples.map((ids) => ({ data: meanOf(Int32Array.from(ids)), shape: [1, width] })),
    table,
  };
}

/** The token for unknown words, if there is one. Tokenizers of the type Unigram state its id, others its text. */
export function skippedToken({ json, settings }: PreparedTokenizer): Pick<TableShape, 'skipped'> {
  const stated = memberOf(memberOf(parseJsonText(json), 'model'), 'unk_id');
  const skipped = isCount(stated) ? stated : settings.unknown?.id;
  return skipped === undefined ? {} : { skipped };
}

function checkSizes(
  { weights, mapping }: FoundTable,
  { rows, vocabularySize }: TableShape,
  path: string,
): void {
  const sizes = { weights: weights?.shape[0], mapping: mapping?.shape[0], rows: mapping ? undefined : rows };
  for (const [name, size] of Object.entries(sizes)) {
    if (size === undefined || size >= vocabularySize) continue;
    throw configError(
      `tokenizer.json has ${vocabularySize} tokens, but the table in ${path} has only ${size} ${name}. Both must come from the same model.`,
    );
  }
}

async function readBytes({ rows, weights, mapping }: FoundTable, shape: TableShape, path: string) {
  const { bytes, weightsAt, mappingAt } = tableLayout(shape);
  const buffer = new ArrayBuffer(bytes);
  const stored = await readTensor(rows);
  const values = shape.elements === 'float32' ? tensorFloats(rows.type, stored) : stored;
  new Uint8Array(buffer).set(new Uint8Array(values instanceof ArrayBuffer ? values : values.buffer));
  const { vocabularySize } = shape;
  const numbers = async (tensor: StoredTensor): Promise<Float32Array> =>
    tensorFloats(tensor.type, await readTensor(tensor)).subarray(0, vocabularySize);
  if (weights) new Float32Array(buffer, weightsAt, vocabularySize).set(await numbers(weights));
  if (mapping) {
    const numbered = await numbers(mapping);
    const bad = numbered.find((row) => !(row >= 0 && row < shape.rows));
    if (bad !== undefined) {
      throw configError(
        `The mapping in ${path} contains the row ${bad}, but the table has only ${shape.rows} rows. Save the model again.`,
      );
    }
    new Int32Array(buffer, mappingAt, vocabularySize).set(numbered);
  }
  return buffer;
}

const readTensor = async (tensor: StoredTensor): Promise<ArrayBuffer> => {
  const { file, offset, length } = tensor;
  const { buffer } = await withFileSource(file, (source) => source.readAt(offset, length));
  if (!(buffer instanceof ArrayBuffer)) throw new Error('bytes of a file are not shared');
  return bytesInOrder(tensor, buffer);
};
