import { wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import { gemmaLayer } from '../gemma-layer.ts';
import type { Value } from '../graph-writer.ts';
import { FULL, layerKind, SLIDING } from '../layer-kinds.ts';
import { rotaryBase, rotaryTables } from '../rotary.ts';
import { windowBias } from '../windows.ts';

/** The limit of scores in the first models, which applies if config.json has no `attn_logit_softcapping`. */
const SOFT_CAP = 50;

/** Gemma 2, whose attention scores are limited, and every second layer of which attends to nearby tokens. */
export function gemma2(g: EncoderGraph): Value {
  const { config, writer } = g;
  config.refuseUnless('rope_scaling', []);
  // transformers only applies a window to causal attention in this architecture.
  config.refuseUnless('use_bidirectional_attention', [false]);
  const width = config.size('hidden_size', 2304);
  const headWidth = config.size('head_dim', 256);
  const epsilon = config.number('rms_norm_eps', 1e-6);
  const activation = config.text(['hidden_activation', 'hidden_act'], 'gelu_pytorch_tanh');
  const isCausal = config.flag('is_causal', true);
  // The stored weight is the difference from 1.
  const norm = (value: Value, name: string): Value => g.rmsNorm(value, name, epsilon, 1);
  const heads = {
    heads: config.size('num_attention_heads', 8),
    keyHeads: config.size('num_key_value_heads', 4),
    headWidth,
    rotary: rotaryTables(g, {
      base: rotaryBase(config, 'rope_theta', 10_000),
      positions: config.size('max_position_embeddings', 8192),
      headWidth,
    }),
  };
  const shared = {
    isCausal,
    scale: config.number('query_pre_attn_scalar', 256) ** -0.5,
    softCap: isNull(g, 'attn_logit_softcapping')
      ? undefined
      : config.number('attn_logit_softcapping', SOFT_CAP),
  };
  const everywhere = { heads, options: shared };
  // The window includes the token itself if attention is causal.
  const reach = config.size('sliding_window', 4096) - (isCausal ? 1 : 0);
  const nearby = isNull(g, 'sliding_window')
    ? everywhere
    : { heads, options: { ...shared, bias: windowBias(g, reach) } };
  const words = g.multiply(wordEmbeddings(g, 'embed_tokens'), writer.float(Math.sqrt(width)));
  let rows = g.byToken(words, width);
  for (let at = 0; at < config.size('num_hidden_layers', 26); at += 1) {
    const kind = layerKind(config, at, [FULL, SLIDING], at % 2 === 0 ? SLIDING : FULL);
    rows = gemmaLayer(g, rows, `layers.${at}`, kind === FULL ? everywhere : nearby, { norm, activation });
  }
  return norm(rows, 'norm');
}

/** Whether config.json turns a setting off, in contrast to one that is missing. */
const isNull = ({ config }: EncoderGraph, key: string): boolean => config.value(key) === null;
