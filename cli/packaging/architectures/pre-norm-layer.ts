import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';
import type { LayerNames } from './layer-names.ts';
import type { LayerSettings } from './post-norm-layer.ts';
import { type Rotary, rotate } from './rotary.ts';

/**
 * A layer with a norm before each sublayer. Its input and output are rows. `rotary` is the rotation
 * of queries and keys, if positions are not embedded.
 */
export function preNormLayer(
  g: EncoderGraph,
  rows: Value,
  names: LayerNames,
  { heads, width, epsilon, activation }: LayerSettings,
  rotary?: Rotary,
): Value {
  const normed = g.norm(rows, names.attentionNorm, epsilon);
  const turned = (name: string): Value => {
    const projected = g.linear(normed, name);
    return rotary ? rotate(g, projected, heads, rotary) : g.byText(projected);
  };
  const value = g.byText(g.linear(normed, names.value));
  const attended = g.attention([turned(names.query), turned(names.key), value], heads, width);
  const mixed = g.add(rows, g.linear(attended, names.attended));
  const inner = g.activation(g.linear(g.norm(mixed, names.norm, epsilon), names.up), activation);
  return g.add(mixed, g.linear(inner, names.down));
}
