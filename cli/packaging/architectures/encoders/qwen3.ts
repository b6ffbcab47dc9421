import { decoder } from '../decoder.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';

/** Qwen3, which normalizes the values of each query and key head. */
export function qwen3(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('use_sliding_window', [false]);
  return decoder(g, {
    keyHeads: config.size('num_key_value_heads', config.size('num_attention_heads', 32)),
    headWidth: config.size('head_dim', 128),
    normsHeads: true,
  });
}
