import { configError } from '#contract/errors.ts';
import { lookup } from '#core/values/lookup.ts';
import { withFileSource } from '#platform/file-source.ts';
import { layerFloats } from '../model/layer-weights.ts';
import { findWeights } from './find-weights.ts';
import type { EncoderPart } from './write-graph.ts';

/** The two encoders of a model for texts and images. */
export interface Towers {
  readonly text: EncoderPart;
  readonly image: EncoderPart;
}

/** Models of a text tower and a vision tower, by `model_type`, with the types of the towers. */
const TOWER_TYPES = lookup<{ readonly text: string; readonly image: string }>({
  clip: { text: 'clip_text_model', image: 'clip_vision_model' },
  siglip: { text: 'siglip_text_model', image: 'siglip_vision_model' },
});

/** The towers of a model, given its config.json; undefined for other models. */
export function towersOf(config: Readonly<Record<string, unknown>>): Towers | undefined {
  const { model_type: type } = config;
  const types = typeof type === 'string' ? TOWER_TYPES[type] : undefined;
  if (!types) return undefined;
  const part = (kind: 'text' | 'vision', model_type: string): EncoderPart => ({
    // In old files, the settings are in `text_config_dict`, and `text_config` can have other values.
    config: { ...settingsIn(config, [`${kind}_config_dict`, `${kind}_config`]), model_type },
    prefix: `${kind}_model.`,
  });
  return { text: part('text', types.text), image: part('vision', types.image) };
}

/** The first object under these keys; empty if there is none, so that the defaults of the model's class apply. */
function settingsIn(config: Readonly<Record<string, unknown>>, keys: readonly string[]): object {
  const key = keys.find((name) => config[name] !== undefined && config[name] !== null);
  if (key === undefined) return {};
  const value = config[key];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw configError(`\`${key}\` in config.json must be an object, not ${JSON.stringify(value)}.`);
}

/** How the cosine similarity of a text and an image becomes a score: similarity x scale + bias. */
export interface SimilarityScale {
  readonly scale: number;
  /** 0 in models whose scores are compared by softmax. */
  readonly bias: number;
}

/** Reads the scale of similarities from a model's weights, where its logarithm is stored. */
export async function readSimilarityScale(weights: string): Promise<SimilarityScale> {
  const tensors = await findWeights(weights);
  const read = async (name: string): Promise<number | undefined> => {
    const tensor = tensors.get(name);
    if (!tensor) return undefined;
    const values =
      tensor.shape.every((size) => size === 1) &&
      (await withFileSource(tensor.file, (source) => layerFloats(source, tensor)));
    const value = values ? values[0] : undefined;
    if (value !== undefined && Number.isFinite(value)) return value;
    throw configError(`${name} in ${weights} must be one number. Download the file again.`);
  };
  const logarithm = await read('logit_scale');
  if (logarithm === undefined) {
    throw configError(
      `${weights} has no tensor logit_scale, which converts similarities of texts and images to scores. Use the weights of the whole model.`,
    );
  }
  return { scale: Math.exp(logarithm), bias: (await read('logit_bias')) ?? 0 };
}
