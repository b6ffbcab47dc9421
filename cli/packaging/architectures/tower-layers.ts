import { configError } from '#contract/errors.ts';
import type { ConfigReader } from './config-reader.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';
import type { LayerNames } from './layer-names.ts';
import type { LayerSettings } from './post-norm-layer.ts';
import { preNormLayer, type PreNormOptions } from './pre-norm-layer.ts';

/** Settings that have the same names in all encoders of images. */
export function towerSettings(
  config: ConfigReader,
  defaults: Pick<LayerSettings, 'epsilon' | 'activation'> & {
    readonly width?: number;
    readonly heads?: number;
  },
): LayerSettings {
  const width = config.size('hidden_size', defaults.width ?? 768);
  const heads = headsThatDivide(width, config.size('num_attention_heads', defaults.heads ?? 12));
  config.refuseUnless('head_dim', [width / heads]);
  return {
    width,
    heads,
    epsilon: config.number('layer_norm_eps', defaults.epsilon),
    activation: config.text('hidden_act', defaults.activation),
  };
}

export function headsThatDivide(width: number, heads: number): number {
  if (width % heads === 0) return heads;
  throw configError(
    `The number of attention heads in config.json (${heads}) must divide the width of hidden states (${width}). Use the config.json that belongs to the weights.`,
  );
}

/** All layers of an encoder with a norm before each sublayer. */
export function towerLayers(
  g: EncoderGraph,
  rows: Value,
  namesOf: (layer: number) => LayerNames,
  settings: LayerSettings,
  optionsOf: (layer: number) => PreNormOptions = () => ({}),
): Value {
  let result = rows;
  for (let at = 0; at < g.config.size('num_hidden_layers', 12); at += 1) {
    result = preNormLayer(g, result, namesOf(at), settings, optionsOf(at));
  }
  return result;
}
