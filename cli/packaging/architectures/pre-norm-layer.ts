import type { AttentionOptions, EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';
import type { LayerNames } from './layer-names.ts';
import type { LayerSettings } from './post-norm-layer.ts';
import { type Rotary, rotate } from './rotary.ts';

/** How a layer differs from the standard one. */
export interface PreNormOptions extends AttentionOptions {
  /** Attention, from normalized rows to rows. Default: attention of each text's or image's rows to each other. */
  readonly attend?: ((normed: Value) => Value) | undefined;
  /** The rotation of queries and keys, if positions are not embedded. */
  readonly rotary?: Rotary | undefined;
  /** Names of the vectors that scale the results of attention and of the feed-forward layer, if the model has them. */
  readonly scales?: readonly [attended: string, inner: string] | undefined;
  /** The feed-forward layer. Default: two linear layers with an activation between them. */
  readonly feedForward?: ((rows: Value) => Value) | undefined;
}

/** A layer with a norm before each sublayer. Its input and output are rows. */
export function preNormLayer(
  g: EncoderGraph,
  rows: Value,
  names: LayerNames,
  { heads, width, epsilon, activation }: LayerSettings,
  { attend, rotary, scales, feedForward, ...options }: PreNormOptions = {},
): Value {
  const scaled = (value: Value, name: string | undefined): Value =>
    name === undefined ? value : g.multiply(value, g.weight(name));
  const normed = g.norm(rows, names.attentionNorm, epsilon);
  const turned = (name: string): Value => {
    const projected = g.linear(normed, name);
    return rotary ? rotate(g, projected, heads, rotary) : g.byText(projected);
  };
  const standard = (): Value => {
    const value = g.byText(g.linear(normed, names.value));
    return g.attention([turned(names.query), turned(names.key), value], heads, width, options);
  };
  const attended = attend ? attend(normed) : standard();
  const mixed = g.add(rows, scaled(g.linear(attended, names.attended), scales?.[0]));
  const inner = g.norm(mixed, names.norm, epsilon);
  const passed = feedForward
    ? feedForward(inner)
    : g.linear(g.activation(g.linear(inner, names.up), activation), names.down);
  return g.add(mixed, scaled(passed, scales?.[1]));
}
