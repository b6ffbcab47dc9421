import { wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { rotaryBase, rotaryTables, rotate } from '../rotary.ts';

/** Qwen3, a causal model that is used as an encoder: only the last token attends to the whole text. */
export function qwen3(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('rope_scaling', []);
  config.refuseUnless('use_sliding_window', [false]);
  const width = config.size('hidden_size', 4096);
  const heads = config.size('num_attention_heads', 32);
  const keyHeads = config.size('num_key_value_heads', heads);
  const headWidth = config.size('head_dim', 128);
  const epsilon = config.number('rms_norm_eps', 1e-6);
  const activation = config.text('hidden_act', 'silu');
  const rotary = rotaryTables(g, {
    base: rotaryBase(config, 'rope_theta', 10_000),
    positions: config.size('max_position_embeddings', 32_768),
    headWidth,
  });
  let rows = g.byToken(wordEmbeddings(g, 'embed_tokens'), width);
  for (let at = 0; at < config.size('num_hidden_layers', 32); at += 1) {
    const layer = `layers.${at}`;
    const self = `${layer}.self_attn`;
    const normed = g.rmsNorm(rows, `${layer}.input_layernorm`, epsilon);
    const normedHeads = (part: string, count: number): Value =>
      normHeads(
        g,
        g.linear(normed, `${self}.${part}_proj`),
        `${self}.${part}_norm`,
        count,
        headWidth,
        epsilon,
      );
    const repeat = (value: Value): Value => repeatHeads(g, value, keyHeads, heads / keyHeads, headWidth);
    const attended = g.attention(
      [
        rotate(g, normedHeads('q', heads), heads, rotary),
        repeat(rotate(g, normedHeads('k', keyHeads), keyHeads, rotary)),
        repeat(g.byText(g.linear(normed, `${self}.v_proj`))),
      ],
      heads,
      heads * headWidth,
      { isCausal: true },
    );
    rows = g.add(rows, g.linear(attended, `${self}.o_proj`));
    const inner = g.rmsNorm(rows, `${layer}.post_attention_layernorm`, epsilon);
    const gated = g.multiply(
      g.activation(g.linear(inner, `${layer}.mlp.gate_proj`), activation),
      g.linear(inner, `${layer}.mlp.up_proj`),
    );
    rows = g.add(rows, g.linear(gated, `${layer}.mlp.down_proj`));
  }
  return g.rmsNorm(rows, 'norm', epsilon);
}

/** Normalizes the values of each head. */
function normHeads(
  g: EncoderGraph,
  rows: Value,
  name: string,
  heads: number,
  headWidth: number,
  epsilon: number,
): Value {
  const byHead = g.writer.op('Reshape', [rows, g.writer.integers([-1, heads, headWidth])]);
  return g.byToken(g.rmsNorm(byHead, name, epsilon), heads * headWidth);
}

/** Repeats each key or value head for all query heads that share it. */
function repeatHeads(g: EncoderGraph, value: Value, heads: number, times: number, headWidth: number): Value {
  if (times === 1) return value;
  const { writer } = g;
  const apart = writer.op('Reshape', [value, writer.integers([0, 0, heads, 1, headWidth])]);
  const repeated = writer.op('Expand', [apart, writer.integers([1, 1, heads, times, headWidth])]);
  return writer.op('Reshape', [repeated, writer.integers([0, 0, heads * times * headWidth])]);
}
