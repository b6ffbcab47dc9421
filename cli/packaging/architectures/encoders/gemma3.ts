import { wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import { gemmaLayer } from '../gemma-layer.ts';
import type { Value } from '../graph-writer.ts';
import { FULL, layerKind, SLIDING } from '../layer-kinds.ts';
import { rotaryBase, rotaryTables } from '../rotary.ts';
import { windowBias } from '../windows.ts';

/** Gemma 3 without images: norms precede and follow the sublayers, and most layers attend to nearby tokens. */
export function gemma3(g: EncoderGraph): Value {
  const { config, writer } = g;
  config.refuseUnless('rope_scaling', []);
  config.refuseUnless('attn_logit_softcapping', []);
  const width = config.size('hidden_size', 2304);
  const headWidth = config.size('head_dim', 256);
  const epsilon = config.number('rms_norm_eps', 1e-6);
  const activation = config.text('hidden_activation', 'gelu_pytorch_tanh');
  const isCausal = !config.flag('use_bidirectional_attention', false);
  const pattern = config.size('sliding_window_pattern', 6);
  // The stored weight is the difference from 1.
  const norm = (value: Value, name: string): Value => g.rmsNorm(value, name, epsilon, 1);
  const rotary = (base: number) =>
    rotaryTables(g, { base, positions: config.size('max_position_embeddings', 131_072), headWidth });
  const shape = {
    heads: config.size('num_attention_heads', 8),
    keyHeads: config.size('num_key_value_heads', 4),
    headWidth,
    norm,
  };
  const shared = { isCausal, scale: config.number('query_pre_attn_scalar', 256) ** -0.5 };
  const everywhere = {
    heads: { ...shape, rotary: rotary(rotaryBase(config, 'rope_theta', 1_000_000, FULL)) },
    options: shared,
  };
  const nearby = {
    heads: { ...shape, rotary: rotary(rotaryBase(config, 'rope_local_base_freq', 10_000, SLIDING)) },
    options: { ...shared, bias: windowBias(g, reach(g, isCausal)) },
  };
  const words = g.multiply(wordEmbeddings(g, 'embed_tokens'), writer.float(Math.sqrt(width)));
  let rows = g.byToken(words, width);
  for (let at = 0; at < config.size('num_hidden_layers', 26); at += 1) {
    const layer = `layers.${at}`;
    const kind = layerKind(config, at, [FULL, SLIDING], (at + 1) % pattern === 0 ? FULL : SLIDING);
    rows = gemmaLayer(g, rows, layer, kind === FULL ? everywhere : nearby, { norm, activation });
  }
  return norm(rows, 'norm');
}

/**
 * The largest distance in layers with a window. The window includes the token itself if attention
 * is causal; otherwise one half of it is on each side.
 */
function reach({ config }: EncoderGraph, isCausal: boolean): number {
  const window = config.size('sliding_window', 4096);
  return isCausal ? window - 1 : Math.floor(window / 2);
}
