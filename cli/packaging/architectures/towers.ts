import { configError } from '#contract/errors.ts';
import type { SimilarityScale } from '#contract/image-settings.ts';
import { withFileSource } from '#platform/file-source.ts';
import { layerFloats } from '../model/layer-weights.ts';
import { ConfigReader } from './config-reader.ts';
import { EncoderGraph } from './encoder-graph.ts';
import { findWeights } from './find-weights.ts';

/** The encoder of texts or of images inside a model that has both, as the names of settings and weights call it. */
export type Tower = 'text' | 'vision';

/** The graph of one tower, which has its own settings and weights. */
export function towerOf(g: EncoderGraph, tower: Tower): EncoderGraph {
  const settings = settingsOf(g.config, tower);
  return new EncoderGraph(g.weights.part(`${tower}_model.`), new ConfigReader(settings), g.writer);
}

/** The settings of one tower, in the form of config.json. */
export const towerConfig = (config: object, tower: Tower): Readonly<Record<string, unknown>> =>
  settingsOf(new ConfigReader({ ...config }), tower);

/** In old files, the settings are in `text_config_dict`, and `text_config` can have other values. */
const settingsOf = (config: ConfigReader, tower: Tower): Readonly<Record<string, unknown>> =>
  settingsIn(config, [`${tower}_config_dict`, `${tower}_config`]);

/** The first object under these keys; empty if there is none, so that the defaults of the model's class apply. */
function settingsIn(config: ConfigReader, keys: readonly string[]): Readonly<Record<string, unknown>> {
  const key = keys.find((name) => config.value(name) !== undefined && config.value(name) !== null);
  if (key === undefined) return {};
  const value = config.value(key);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw configError(`\`${key}\` in config.json must be an object, not ${JSON.stringify(value)}.`);
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
  const bias = await read('logit_bias');
  return { scale: Math.exp(logarithm), ...(bias === undefined ? {} : { bias }) };
}
