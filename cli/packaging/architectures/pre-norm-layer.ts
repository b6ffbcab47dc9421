import type { AttentionOptions, EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';
import type { LayerNames } from './layer-names.ts';
import type { LayerSettings } from './post-norm-layer.ts';

/** A layer with a norm before each sublayer. Its input and output are rows. */
export function preNormLayer(
  g: EncoderGraph,
  rows: Value,
  names: LayerNames,
  { heads, width, epsilon, activation }: LayerSettings,
  options: AttentionOptions = {},
): Value {
  const normed = g.norm(rows, names.attentionNorm, epsilon);
  const part = (name: string): Value => g.byText(g.linear(normed, name));
  const attended = g.attention(
    [part(names.query), part(names.key), part(names.value)],
    heads,
    width,
    options,
  );
  const mixed = g.add(rows, g.linear(attended, names.attended));
  const inner = g.activation(g.linear(g.norm(mixed, names.norm, epsilon), names.up), activation);
  return g.add(mixed, g.linear(inner, names.down));
}
