import { decoder } from '../decoder.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';

/** Qwen2. In contrast to Qwen3, queries, keys and values have a bias, and heads have no norms. */
export function qwen2(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('use_sliding_window', [false]);
  const heads = config.size('num_attention_heads', 32);
  return decoder(g, {
    keyHeads: config.size('num_key_value_heads', heads),
    headWidth: config.size('head_dim', config.size('hidden_size', 4096) / heads),
  });
}
