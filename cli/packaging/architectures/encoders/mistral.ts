import { decoder } from '../decoder.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';

/** The window of the first Mistral models, which applies if config.json has no `sliding_window`. */
const WINDOW = 4096;

/** Mistral, whose tokens only attend to a window of earlier tokens unless `sliding_window` is null. */
export function mistral(g: EncoderGraph): Value {
  const { config } = g;
  const heads = config.size('num_attention_heads', 32);
  return decoder(g, {
    keyHeads: config.size('num_key_value_heads', 8),
    headWidth: config.size('head_dim', config.size('hidden_size', 4096) / heads),
    window: config.value('sliding_window') === null ? undefined : config.size('sliding_window', WINDOW),
  });
}
