import type { Manifest } from '#contract/manifest.ts';
import { AppError } from '#contract/errors.ts';
import type { ImageSize } from '#contract/image-recipe.ts';
import type { Activation, LayerSettings } from '#contract/sentence.ts';
import { countWeights } from '#core/model/layer-weights.ts';
import type { TokenRows } from '#core/model/raw-output.ts';
import type { TokenRange } from '#core/model/late-chunking.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import type { VectorOptions } from '#core/model/vector-plan.ts';
import { findNotFinite } from '#core/numbers/finite.ts';
import { divided, poolRows } from '#core/vectors/pooling.ts';
import type { Transformed } from '#transform/transform.ts';

/** The model output for one text: its tokens and the raw output, row by row without padding. */
export interface Inference {
  readonly text: TokenizedText;
  readonly values: Float32Array;
  /**
   * The inferences of the windows, if the text is longer than the model's maximum and is therefore
   * processed in windows.
   */
  readonly windows?: readonly Inference[] | undefined;
  /** In `infer`, the inferences of the text's model inputs, if the task defines `inputs`. */
  readonly parts?: readonly Inference[] | undefined;
  /** The result of the model's transform, if the model has one. */
  readonly transformed?: Transformed | undefined;
  /** The additional outputs of a sentence_embedding model that were requested, row by row. */
  readonly tokenOutputs?: TokenRows<Float32Array> | undefined;
  /** The weight of each token, for a query whose values come from a table. The model does not run. */
  readonly queryWeights?: Float32Array | undefined;
  /** The size of the image in its file, for models that read images. */
  readonly imageSize?: ImageSize | undefined;
  /** The modules that follow pooling, if the model has any. */
  readonly layers?: readonly VectorLayer[] | undefined;
}

/**
 * Returns one vector for a text with the model's pooling. Embedding models without a pooling
 * setting use the mean.
 */
export function textVector(inference: Inference, manifest: Manifest, options: VectorOptions): Float32Array {
  const { normalize, dimensions, skip } = options;
  if (inference.windows) {
    const mean = meanOfWindows(
      inference.windows.map((window, at) => ({
        // Only the first window contains the prompt, whose tokens are skipped.
        vector: textVector(window, manifest, { dimensions, skip: at === 0 ? skip : undefined }),
        weight: window.text.weight ?? 0,
      })),
    );
    return normalize ? normalizeL2(mean) : mean;
  }
  const { values, width } = vectorsOf(inference, manifest);
  // If a sentence_embedding model has a transform, the transform has already pooled the vectors.
  const pooling =
    inference.transformed && manifest.sentence ? 'none' : (manifest.sentence?.pooling ?? 'mean');
  return finished(poolRows(values, width, pooling, skip), inference, manifest, options);
}

/** Returns one vector for each part of a text: the mean over the part's tokens in a run of the whole text. */
export function chunkVectors(
  inference: Inference,
  manifest: Manifest,
  ranges: readonly TokenRange[],
  options: VectorOptions,
): Float32Array[] {
  const { values, width } = vectorsOf(inference, manifest);
  return ranges.map(([from, to]) =>
    finished(
      poolRows(values.subarray(from * width, to * width), width, 'mean'),
      inference,
      manifest,
      options,
    ),
  );
}

/** Applies the steps that follow pooling. */
function finished(
  pooled: Float32Array,
  { layers = [] }: Inference,
  manifest: Manifest,
  { normalize, dimensions }: VectorOptions,
): Float32Array {
  const vector = finiteOutput(applyLayers(pooled, layers).subarray(0, dimensions), manifest);
  return normalize ? normalizeL2(vector) : vector;
}

/** Returns the vectors of all tokens in a text, special tokens included. */
export function tokenVectors(inference: Inference, manifest: Manifest): Float32Array[] {
  const { values, width } = vectorsOf(inference, manifest);
  return Array.from({ length: values.length / width }, (_, row) =>
    finiteOutput(values.subarray(row * width, (row + 1) * width), manifest),
  );
}

/**
 * Returns the vectors of a text's tokens, special tokens included, row by row. They come from the
 * model or from its transform.
 */
export function vectorsOf(
  { values, transformed }: Inference,
  { width }: Manifest,
): { values: Float32Array; width: number } {
  if (!transformed) return { values, width };
  return { values: transformed.data, width: transformed.shape.at(-1) ?? width };
}

export interface TokenInfo {
  readonly token: string;
  readonly token_id: number;
  /** Offset in the input text, in Unicode code points. */
  readonly start: number;
  readonly end: number;
}

export interface TokenRow {
  /** Position among all tokens, special tokens included. */
  readonly row: number;
  readonly info: TokenInfo;
  readonly values: Float32Array;
}

/**
 * Returns a text's tokens with their output rows, without the tokens that the tokenizer added
 * ([CLS], [SEP], <s> ...).
 */
export function tokenRows({ text, values }: Pick<Inference, 'text' | 'values'>, width: number): TokenRow[] {
  if (!text.details) throw new Error('tokenized without details');
  const { special, tokens, offsets } = text.details;
  const rows: TokenRow[] = [];
  for (const [at, token_id] of text.ids.entries()) {
    if (special[at] === 1) continue;
    rows.push({
      row: at,
      info: { token: tokens[at] ?? '', token_id, start: offsets[at * 2] ?? 0, end: offsets[at * 2 + 1] ?? 0 },
      values: values.subarray(at * width, (at + 1) * width),
    });
  }
  return rows;
}

/** Returns the values unchanged. Throws an InternalError if the model returned NaN or infinity, which JSON cannot represent. */
export function finiteOutput(values: Float32Array, { output }: Pick<Manifest, 'output'>): Float32Array {
  const index = findNotFinite(values);
  if (index === undefined) return values;
  throw new AppError(
    'InternalError',
    `The model failed: output \`${output}\` contains ${values[index]}, but results must be finite numbers. ` +
      'Export the model with a higher precision, such as float32.',
  );
}

/** Divides a vector by its L2 norm; a zero vector is unchanged. */
export function normalizeL2(vector: Float32Array): Float32Array {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] ?? 0) * (vector[at] ?? 0);
  return squares === 0 ? vector : divided(vector, Math.sqrt(squares));
}

/** A vector and the number of tokens that it represents. */
export interface WeightedVector {
  readonly vector: Float32Array;
  readonly weight: number;
}

/** Mean of the vectors of a text's windows, weighted by their number of tokens. */
export function meanOfWindows(windows: readonly WeightedVector[]): Float32Array {
  const total = windows.reduce((sum, { weight }) => sum + weight, 0);
  const sum = new Float64Array(windows[0]?.vector.length ?? 0);
  for (const { vector, weight } of windows) {
    for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value * weight;
  }
  return divided(sum, total);
}

/** A module after pooling, with its weights. */
export interface VectorLayer {
  readonly settings: LayerSettings;
  readonly weights: Float32Array;
}

/** Assigns the values in the section `layers` to the layers. */
export function layersOf(settings: readonly LayerSettings[], values: Float32Array): VectorLayer[] {
  let start = 0;
  return settings.map((layer) => {
    const weights = values.subarray(start, start + countWeights(layer));
    start += weights.length;
    return { settings: layer, weights };
  });
}

/** Applies the modules that follow pooling to one vector. @internal Exported for tests only. */
export const applyLayers = (vector: Float32Array, layers: readonly VectorLayer[]): Float32Array =>
  layers.reduce(applyLayer, vector);

function applyLayer(vector: Float32Array, { settings, weights }: VectorLayer): Float32Array {
  if (settings.kind === 'dense') return dense(vector, weights, settings);
  return settings.kind === 'layer_norm' ? layerNorm(vector, weights) : normalizeL2(vector);
}

function dense(
  vector: Float32Array,
  weights: Float32Array,
  { inputs, outputs, bias, activation }: LayerSettings & { readonly kind: 'dense' },
): Float32Array {
  const activate = ACTIVATE[activation];
  const result = new Float32Array(outputs);
  const biasAt = outputs * inputs;
  for (let row = 0; row < outputs; row++) {
    const start = row * inputs;
    let sum = bias ? (weights[biasAt + row] ?? 0) : 0;
    for (let column = 0; column < inputs; column++) {
      sum += (vector[column] ?? 0) * (weights[start + column] ?? 0);
    }
    result[row] = activate(sum);
  }
  return result;
}

const ACTIVATE: Record<Activation, (value: number) => number> = {
  identity: (value) => value,
  tanh: Math.tanh,
  // NaN is passed on, because results that are not finite must be detected.
  relu: (value) => (value < 0 ? 0 : value),
  sigmoid: (value) => 1 / (1 + Math.exp(-value)),
};

/** PyTorch's default value, which sentence-transformers does not change. */
const EPSILON = 1e-5;

function layerNorm(vector: Float32Array, weights: Float32Array): Float32Array {
  const width = vector.length;
  const mean = vector.reduce((sum, value) => sum + value, 0) / width;
  const variance = vector.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width;
  const deviation = Math.sqrt(variance + EPSILON);
  return vector.map(
    (value, at) => ((value - mean) / deviation) * (weights[at] ?? 0) + (weights[width + at] ?? 0),
  );
}
