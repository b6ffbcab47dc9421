import type { Activation, LayerSettings } from '#contract/sentence.ts';
import { countWeights } from '#core/model/layer-weights.ts';
import { normalizeL2 } from '#core/vectors/vectors.ts';

/** A module that follows pooling, with its weights. */
export interface VectorLayer {
  readonly settings: LayerSettings;
  readonly weights: Float32Array;
}

/** Divides the values of the section `layers` among the layers. */
export function layersOf(settings: readonly LayerSettings[], values: Float32Array): VectorLayer[] {
  let start = 0;
  return settings.map((layer) => {
    const weights = values.subarray(start, start + countWeights(layer));
    start += weights.length;
    return { settings: layer, weights };
  });
}

/** Applies the modules that follow pooling to one vector. */
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
  // Not Math.max, which would hide NaN: results that are not finite must be found.
  relu: (value) => (value < 0 ? 0 : value),
  sigmoid: (value) => 1 / (1 + Math.exp(-value)),
};

/** The constant of torch, which the library does not change. */
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
