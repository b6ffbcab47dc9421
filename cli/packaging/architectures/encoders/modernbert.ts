import { wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { FULL, layerKind, SLIDING } from '../layer-kinds.ts';
import { rotaryBase, rotaryTables, rotate } from '../rotary.ts';
import { windowBias } from '../windows.ts';

/** ModernBERT: norms precede the sublayers, and most layers only attend to nearby tokens. */
export function modernbert(g: EncoderGraph): Value {
  const { config, writer } = g;
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('norm_eps', 1e-5);
  const activation = config.text('hidden_activation', 'gelu');
  const globalBase = rotaryBase(config, 'global_rope_theta', 160_000, FULL);
  // If the config has no separate base for them, layers with local attention use the same rotation
  // as the others.
  const localBase = config.value('local_rope_theta') === null ? globalBase : 10_000;
  const globalEvery = config.size('global_attn_every_n_layers', 3);
  const positions = config.size('max_position_embeddings', 8192);
  const tables = (base: number) => rotaryTables(g, { base, positions, headWidth: width / heads });
  const everywhere = { rotary: tables(globalBase), bias: undefined };
  const nearby = {
    rotary: tables(rotaryBase(config, 'local_rope_theta', localBase, SLIDING)),
    bias: windowBias(g, Math.floor(config.size('local_attention', 128) / 2)),
  };
  let rows = g.byToken(
    g.norm(wordEmbeddings(g, 'embeddings.tok_embeddings'), 'embeddings.norm', epsilon),
    width,
  );
  for (let at = 0; at < config.size('num_hidden_layers', 22); at += 1) {
    const layer = `layers.${at}`;
    const kind = layerKind(config, at, [FULL, SLIDING], at % globalEvery === 0 ? FULL : SLIDING);
    const { rotary, bias } = kind === FULL ? everywhere : nearby;
    const normed = at === 0 ? rows : g.norm(rows, `${layer}.attn_norm`, epsilon);
    const [query = '', key = '', value = ''] = writer.split(g.linear(normed, `${layer}.attn.Wqkv`), 3);
    const attended = g.attention(
      [rotate(g, query, heads, rotary), rotate(g, key, heads, rotary), g.byText(value)],
      heads,
      width,
      { bias },
    );
    rows = g.add(rows, g.linear(attended, `${layer}.attn.Wo`));
    const inner = g.linear(g.norm(rows, `${layer}.mlp_norm`, epsilon), `${layer}.mlp.Wi`);
    const [input = '', gate = ''] = writer.split(inner, 2);
    rows = g.add(rows, g.linear(g.multiply(g.activation(input, activation), gate), `${layer}.mlp.Wo`));
  }
  return g.norm(rows, 'final_norm', epsilon);
}
