import { decoder } from '../decoder.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';

/** EuroBERT, which has the layers of Llama, but each token attends to the whole text. */
export function eurobert(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('is_causal', [false]);
  const heads = config.size('num_attention_heads', 12);
  return decoder(g, {
    keyHeads: config.size('num_key_value_heads', heads),
    headWidth: config.size('head_dim', config.size('hidden_size', 768) / heads),
    isCausal: false,
    epsilon: 1e-5,
  });
}
