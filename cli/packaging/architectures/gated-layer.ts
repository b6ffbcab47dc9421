import type { AttentionOptions, EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';
import { type Rotary, rotate } from './rotary.ts';

/** The heads of a layer. Several query heads can share one key and value head. */
export interface GroupedHeads {
  readonly heads: number;
  readonly keyHeads: number;
  readonly headWidth: number;
  readonly rotary: Rotary;
  /** Normalizes the values of each query or key head. `name` is the name of the norm. */
  readonly norm?: ((heads: Value, name: string) => Value) | undefined;
  readonly names?: AttentionNames;
}

/** Weight names that differ between models. */
interface AttentionNames {
  readonly output: string;
  /** The end of the names of the norms of heads. */
  readonly norm: string;
}
interface FeedForwardNames {
  readonly gate: string;
  readonly up: string;
  readonly down: string;
}

const ATTENTION_NAMES: AttentionNames = { output: 'o_proj', norm: 'norm' };
const FEED_FORWARD_NAMES: FeedForwardNames = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' };

/**
 * Self-attention with the weight names of decoder models such as Qwen. Input and output are rows.
 */
export function groupedAttention(
  g: EncoderGraph,
  rows: Value,
  self: string,
  { heads, keyHeads, headWidth, rotary, norm, names = ATTENTION_NAMES }: GroupedHeads,
  options: AttentionOptions,
): Value {
  const rotated = (part: string, count: number): Value => {
    const projected = g.linear(rows, `${self}.${part}_proj`);
    const normed = norm
      ? g.byToken(
          norm(
            g.writer.op('Reshape', [projected, g.writer.integers([-1, count, headWidth])]),
            `${self}.${part}_${names.norm}`,
          ),
          count * headWidth,
        )
      : projected;
    return rotate(g, normed, count, rotary);
  };
  const repeat = (value: Value): Value => repeatHeads(g, value, keyHeads, heads / keyHeads, headWidth);
  const attended = g.attention(
    [rotated('q', heads), repeat(rotated('k', keyHeads)), repeat(g.byText(g.linear(rows, `${self}.v_proj`)))],
    heads,
    heads * headWidth,
    options,
  );
  return g.linear(attended, `${self}.${names.output}`);
}

/** The gated feed-forward layer of decoder models. Input and output are rows. */
export function gatedFeedForward(
  g: EncoderGraph,
  rows: Value,
  mlp: string,
  activation: string,
  { gate, up, down } = FEED_FORWARD_NAMES,
): Value {
  const activated = g.activation(g.linear(rows, `${mlp}.${gate}`), activation);
  return g.linear(g.multiply(activated, g.linear(rows, `${mlp}.${up}`)), `${mlp}.${down}`);
}

/** Repeats each key or value head for all query heads that share it. */
function repeatHeads(g: EncoderGraph, value: Value, heads: number, times: number, headWidth: number): Value {
  if (times === 1) return value;
  const { writer } = g;
  const apart = writer.op('Reshape', [value, writer.integers([0, 0, heads, 1, headWidth])]);
  const repeated = writer.op('Expand', [apart, writer.integers([1, 1, heads, times, headWidth])]);
  return writer.op('Reshape', [repeated, writer.integers([0, 0, heads * times * headWidth])]);
}
