import type { AttentionOptions, EncoderGraph } from './encoder-graph.ts';
import { gatedFeedForward, groupedAttention, type GroupedHeads } from './gated-layer.ts';
import type { Value } from './graph-writer.ts';

/** How the tokens of a layer attend to each other. */
export interface GemmaAttention {
  readonly heads: GroupedHeads;
  readonly options: AttentionOptions;
}

/**
 * A layer of Gemma 2 and 3, whose norms precede and follow each sublayer. Input and output are rows.
 */
export function gemmaLayer(
  g: EncoderGraph,
  rows: Value,
  layer: string,
  { heads, options }: GemmaAttention,
  { norm, activation }: { readonly norm: (value: Value, name: string) => Value; readonly activation: string },
): Value {
  const normed = norm(rows, `${layer}.input_layernorm`);
  const attended = groupedAttention(g, normed, `${layer}.self_attn`, heads, options);
  const mixed = g.add(rows, norm(attended, `${layer}.post_attention_layernorm`));
  const inner = norm(mixed, `${layer}.pre_feedforward_layernorm`);
  const outer = gatedFeedForward(g, inner, `${layer}.mlp`, activation);
  return g.add(mixed, norm(outer, `${layer}.post_feedforward_layernorm`));
}
