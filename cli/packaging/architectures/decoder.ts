import { wordEmbeddings } from './embeddings.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import { gatedFeedForward, groupedAttention } from './gated-layer.ts';
import type { Value } from './graph-writer.ts';
import { ropeScaling } from './rope-scaling.ts';
import { rotaryTables } from './rotary.ts';
import { windowBias } from './windows.ts';

/** The settings in which decoder models differ, with the defaults of the model's class. */
export interface DecoderSettings {
  readonly keyHeads: number;
  readonly headWidth: number;
  /** Whether the values of each query and key head are normalized. */
  readonly normsHeads?: boolean;
  /** Number of tokens that a token attends to, including itself. Default: all. */
  readonly window?: number | undefined;
  /** Whether a token only attends to earlier tokens. Default: the setting `is_causal`, or true. */
  readonly isCausal?: boolean;
  readonly epsilon?: number;
  readonly activation?: string;
  /** Gemma stores the difference of each norm's weight from 1, and scales word vectors by the root of their size. */
  readonly isGemma?: boolean;
}

/**
 * A decoder model that is used as an encoder. Most are causal: only the last token attends to the
 * whole text. `is_causal: false` marks models that were trained further with attention in both
 * directions.
 */
export function decoder(g: EncoderGraph, settings: DecoderSettings): Value {
  const { config } = g;
  const heads = config.size('num_attention_heads', 32);
  const { headWidth, normsHeads = false, epsilon: defaultEpsilon = 1e-6, isGemma = false } = settings;
  const epsilon = config.number('rms_norm_eps', defaultEpsilon);
  const activation = settings.activation ?? config.text('hidden_act', 'silu');
  const isCausal = settings.isCausal ?? config.flag('is_causal', true);
  const norm = (value: Value, name: string): Value => g.rmsNorm(value, name, epsilon, isGemma ? 1 : 0);
  const base = config.under('rope_parameters').number('rope_theta', config.number('rope_theta', 10_000));
  const grouped = {
    heads,
    keyHeads: settings.keyHeads,
    headWidth,
    norm: normsHeads ? norm : undefined,
    rotary: rotaryTables(g, {
      base,
      positions: config.size('max_position_embeddings', 32_768),
      headWidth,
      ...ropeScaling(config, base, headWidth),
    }),
  };
  const options = { isCausal, bias: biasOf(g, settings.window, isCausal) };
  const width = config.size('hidden_size', 4096);
  const words = wordEmbeddings(g, 'embed_tokens');
  let rows = g.byToken(isGemma ? g.multiply(words, g.writer.float(Math.sqrt(width))) : words, width);
  for (let at = 0; at < config.size('num_hidden_layers', 32); at += 1) {
    const layer = `layers.${at}`;
    const normed = norm(rows, `${layer}.input_layernorm`);
    rows = g.add(rows, groupedAttention(g, normed, `${layer}.self_attn`, grouped, options));
    const inner = norm(rows, `${layer}.post_attention_layernorm`);
    rows = g.add(rows, gatedFeedForward(g, inner, `${layer}.mlp`, activation));
  }
  return norm(rows, 'norm');
}

/** transformers counts the token itself as part of the window only if attention is causal. */
const biasOf = (g: EncoderGraph, window: number | undefined, isCausal: boolean): Value | undefined =>
  window === undefined ? undefined : windowBias(g, isCausal ? window - 1 : window);
