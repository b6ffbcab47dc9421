import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';
import { type Rotary, rotate } from './rotary.ts';

/** Settings shared by all layers of a model. */
export interface FlashSettings {
  readonly heads: number;
  readonly width: number;
  readonly epsilon: number;
  /** The rotation of queries and keys, if positions are not embedded. */
  readonly rotary: Rotary | undefined;
}

/**
 * A layer with the weight names of flash-attention's models, which Nomic and Jina use: one matrix
 * projects queries, keys and values, and a norm follows each residual. Input and output are rows.
 * `attention` is the name of the attention weights.
 */
export function flashLayer(
  g: EncoderGraph,
  rows: Value,
  { layer, attention }: { readonly layer: string; readonly attention: string },
  { heads, width, epsilon, rotary }: FlashSettings,
  feedForward: (rows: Value) => Value,
): Value {
  const projected = g.linear(rows, `${layer}.${attention}.Wqkv`);
  const [query = '', key = '', value = ''] = g.writer.split(projected, 3);
  const turned = (part: Value): Value => (rotary ? rotate(g, part, heads, rotary) : g.byText(part));
  const attended = g.attention([turned(query), turned(key), g.byText(value)], heads, width);
  const output = g.linear(attended, `${layer}.${attention}.out_proj`);
  const mixed = g.norm(g.add(rows, output), `${layer}.norm1`, epsilon);
  return g.norm(g.add(mixed, feedForward(mixed)), `${layer}.norm2`, epsilon);
}

/** The feed-forward layer of these models, if it has no gate. */
export const plainFeedForward = (g: EncoderGraph, rows: Value, mlp: string, activation: string): Value =>
  g.linear(g.activation(g.linear(rows, `${mlp}.fc1`), activation), `${mlp}.fc2`);
