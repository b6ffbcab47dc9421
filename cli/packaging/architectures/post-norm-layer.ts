import type { AttentionOptions, EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';
import type { LayerNames, SublayerNames } from './layer-names.ts';

/** Settings shared by all layers of a model. */
export interface LayerSettings {
  readonly heads: number;
  readonly width: number;
  readonly epsilon: number;
  readonly activation: string;
}

/**
 * A layer with a norm after each residual, as in BERT. Its input and output are rows. `options`
 * states how attention differs from standard attention.
 */
export function postNormLayer(
  g: EncoderGraph,
  rows: Value,
  names: LayerNames,
  { heads, width, epsilon, activation }: LayerSettings,
  options: AttentionOptions = {},
): Value {
  const query = g.linear(rows, names.query);
  const key = g.linear(rows, names.key);
  const value = g.linear(rows, names.value);
  const attended = g.attention([g.byText(query), g.byText(key), g.byText(value)], heads, width, options);
  return postNormSublayers(g, rows, attended, names, { epsilon, activation });
}

/** The part of such a layer after attention. `attended` is the result of attention. */
export function postNormSublayers(
  g: EncoderGraph,
  rows: Value,
  attended: Value,
  names: SublayerNames,
  { epsilon, activation }: Pick<LayerSettings, 'epsilon' | 'activation'>,
): Value {
  const mixed = g.norm(g.add(g.linear(attended, names.attended), rows), names.attentionNorm, epsilon);
  const inner = g.activation(g.linear(mixed, names.up), activation);
  return g.norm(g.add(g.linear(inner, names.down), mixed), names.norm, epsilon);
}
