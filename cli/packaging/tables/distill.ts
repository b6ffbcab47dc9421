import { join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import { configError } from '#contract/errors.ts';
import type { SentenceSettings } from '#contract/sentence.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { bareTokenizer } from '#core/model/bare-tokenizer.ts';
import { openTokenTable, tableParts } from '#core/model/token-table.ts';
import { rowOf } from '#core/model/raw-output.ts';
import { poolRows } from '#core/vectors/pooling.ts';
import { loadTokenizer } from '../../adapters/tokenizers.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import type { DistillSettings, QuantizeSettings } from '../../config/build-config.ts';
import type { PreparedGraph } from '../model/prepared-graph.ts';
import type { PreparedTokenizer } from '../model/prepare-tokenizer.ts';
import { PER_TEXT } from '../onnx/select-output.ts';
import { type Compare, neighborsKept } from '../quantize/accuracy.ts';
import { readCalibrationTexts } from '../quantize/calibration-texts.ts';
import { skippedToken, writeTable } from './prepare-table.ts';
import { principalComponents, type Rows } from './principal-components.ts';
import { UNLIMITED } from './table-settings.ts';

/** A sentence encoder that has been prepared, and how its texts are compared. */
export interface DistillSource {
  readonly graph: PreparedGraph;
  readonly tokenizer: PreparedTokenizer;
  readonly compare: Compare;
}

/** The static form of an encoder. */
export interface Distilled {
  readonly graph: PreparedGraph;
  readonly tokenizer: PreparedTokenizer;
  readonly sentence: SentenceSettings;
}

/**
 * Makes a static form of an encoder as model2vec does: each token of the vocabulary runs through the
 * encoder alone, the vectors are reduced to their principal components, and frequent tokens get a
 * smaller weight. Throws if the nearest texts are not those of the encoder.
 */
export async function distill(
  runtime: OnnxTools,
  source: DistillSource,
  { dimensions, minNeighbors, calibration }: DistillSettings & Pick<QuantizeSettings, 'calibration'>,
  folder: string,
  onTokens: (done: number, total: number) => void = () => {},
): Promise<Distilled> {
  const tokenizer = await withoutFrame(source.tokenizer);
  const encoded = await encodeVocabulary(runtime, source, folder, onTokens);
  const { values, width } = weighted(principalComponents(encoded, dimensions), source.tokenizer);
  const rows = values.length / width;
  const shape = {
    rows,
    elements: 'float32' as const,
    hasWeights: false,
    hasMapping: false,
    ...skippedToken(tokenizer),
    width,
    vocabularySize: rows,
  };
  const meanOf = openTokenTable(shape, tableParts(shape, values.buffer));
  const { heldOut } = await readCalibrationTexts(calibration);
  const ids = await tokenizer.tokenizer.encode(heldOut);
  const neighbors = neighborsKept(
    await encodeTexts(runtime, source, heldOut, folder),
    ids.map((row) => meanOf(Int32Array.from(row))),
  );
  refuseBelow(neighbors, minNeighbors, heldOut.length);
  const graph = await writeTable(
    { ...shape, distilled: { texts: heldOut.length, neighbors } },
    values.buffer,
    tokenizer,
    join(folder, `static-${ASSETS.weights}`),
  );
  return {
    tokenizer,
    graph,
    sentence: {
      ...(graph.table ? { table: graph.table } : {}),
      pooling: 'none',
      includePrompt: true,
      normalize: true,
      prompts: {},
    },
  };
}

function refuseBelow(neighbors: number, minimum: number, texts: number): void {
  if (neighbors >= minimum) return;
  throw configError(
    `Only ${percent(neighbors)} of the ten nearest texts of each of ${texts} texts stay the nearest ones in the static form, but \`min_neighbors\` is ${percent(minimum)}. Choose another model, more \`distill_dimensions\`, or a lower \`min_neighbors\`.`,
  );
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;

async function withoutFrame(source: PreparedTokenizer): Promise<PreparedTokenizer> {
  const json = bareTokenizer(source.json);
  return {
    ...source,
    json,
    tokenizer: await loadTokenizer(json),
    settings: { ...source.settings, maxLength: UNLIMITED },
  };
}

/** Number of tokens that run through the encoder together. */
const TOKENS_TOGETHER = 256;

/** Runs every token alone, with the special tokens around it, and returns the mean of its token vectors. */
async function encodeVocabulary(
  runtime: OnnxTools,
  source: DistillSource,
  folder: string,
  onTokens: (done: number, total: number) => void,
): Promise<Rows> {
  const { tokenizer, settings } = source.tokenizer;
  const [special = []] = await tokenizer.encode(['']);
  const before = await tokenizer.tokensBefore('');
  const { width } = source.graph;
  const values = new Float32Array(settings.vocabularySize * width);
  const isAlone = source.graph.batching === 'single';
  const together = isAlone ? 1 : (source.graph.fixedShape?.texts ?? TOKENS_TOGETHER);
  for (let first = 0; first < settings.vocabularySize; first += together) {
    const count = Math.min(together, settings.vocabularySize - first);
    const texts = Array.from({ length: count }, (_, at) => [
      ...special.slice(0, before),
      first + at,
      ...special.slice(before),
    ]);
    for (const [at, vector] of (await run(runtime, source, texts, folder)).entries())
      values.set(meanOfTokens(vector, source.graph), (first + at) * width);
    onTokens(first + count, settings.vocabularySize);
  }
  return { values, width };
}

const meanOfTokens = (values: Float32Array, { width, signature }: PreparedGraph): Float32Array =>
  signature.output.shape.length === PER_TEXT.length ? values : poolRows(values, width, 'mean');

async function encodeTexts(
  runtime: OnnxTools,
  source: DistillSource,
  texts: readonly string[],
  folder: string,
): Promise<Float32Array[]> {
  const { tokenizer, settings } = source.tokenizer;
  const encoded = await tokenizer.encodeCut(texts, source.graph.maxLength, settings.truncationSide);
  const vectors: Float32Array[] = [];
  for (const { ids } of encoded) {
    const [values = new Float32Array()] = await run(runtime, source, [ids], folder);
    const compared = source.compare(values);
    if (compared.kind === 'vectors' && compared.rows[0]) vectors.push(compared.rows[0]);
  }
  return vectors;
}

async function run(
  runtime: OnnxTools,
  { graph, tokenizer }: DistillSource,
  ids: readonly (readonly number[])[],
  folder: string,
): Promise<Float32Array[]> {
  const { graphPath = '', signature, fixedShape, firstPosition } = graph;
  const output = await runtime.tryOut({
    graph: graphPath,
    folder,
    inputs: signature.inputs,
    output: signature.output.name,
    ids,
    padId: tokenizer.settings.padId,
    prepack: true,
    fixedShape,
    firstPosition,
  });
  return ids.map((text, row) => rowOf(output, row, text.length));
}

/** The share of texts that contain a token, above which its weight is less than a half. */
const USUAL_SHARE = 1e-4;
const UNUSED = /^\[unused\d+\]$/;

/**
 * Multiplies rows by the weights of their tokens: vocabularies are sorted by frequency, which falls with
 * the rank as in Zipf's law. Special tokens get zeros.
 */
function weighted({ values, width }: Rows, { tokenizer, json }: PreparedTokenizer): Rows {
  const special = new Set(specialTokens(json));
  const isWord = (id: number): boolean => {
    const token = tokenizer.tokenOf(id);
    return token !== undefined && !special.has(token) && !UNUSED.test(token);
  };
  const ids = Array.from({ length: values.length / width }, (_, id) => id);
  const words = ids.filter(isWord);
  const total = words.reduce((sum, _, rank) => sum + 1 / (rank + 2), 0);
  const weights = new Float64Array(ids.length);
  for (const [rank, id] of words.entries())
    weights[id] = USUAL_SHARE / (USUAL_SHARE + 1 / ((rank + 2) * total));
  return { values: values.map((value, at) => value * (weights[Math.floor(at / width)] ?? 0)), width };
}

function specialTokens(json: string): string[] {
  const { added_tokens: added = [] } = parseJsonText(json) as {
    added_tokens?: readonly { readonly content: string; readonly special?: boolean }[];
  };
  return added.filter(({ special }) => special === true).map(({ content }) => content);
}
