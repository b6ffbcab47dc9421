import { decoder } from '../decoder.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';

/** Gemma 1, whose heads have a size of their own. */
export function gemma(g: EncoderGraph): Value {
  const { config } = g;
  const isBidirectional = config.flag('use_bidirectional_attention', false);
  return decoder(g, {
    keyHeads: config.size('num_key_value_heads', 16),
    headWidth: config.size('head_dim', 256),
    activation: activationOf(g),
    isGemma: true,
    ...(isBidirectional ? { isCausal: false } : {}),
  });
}

/** The first published models name the exact GELU, but transformers reads that as its approximation. */
function activationOf({ config }: EncoderGraph): string {
  const name = config.text(['hidden_activation', 'hidden_act'], 'gelu_pytorch_tanh');
  return name === 'gelu' ? 'gelu_pytorch_tanh' : name;
}
