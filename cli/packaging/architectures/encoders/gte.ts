import { addPositions, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { needsExport } from '../../exports/needs-export.ts';
import { type Rotary, rotaryBase, type RotaryOptions, rotaryTables, rotate } from '../rotary.ts';

/** GTE v1.5, whose configuration calls its type "new". */
export function gte(g: EncoderGraph): Value {
  const { config, writer } = g;
  config.refuseUnless('layer_norm_type', ['layer_norm']);
  config.refuseUnless('logn_attention_scale', [false]);
  config.refuseUnless('pack_qkv', [true]);
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', 1e-12);
  const activation = config.text('hidden_act', 'gelu');
  const isRotary = config.text('position_embedding_type', 'rope') === 'rope';
  const rotary = isRotary ? tables(g, width / heads) : undefined;
  const words = wordEmbeddings(g);
  const embedded = addTokenTypes(g, rotary ? words : addPositions(g, words));
  let rows = g.byToken(g.norm(embedded, 'embeddings.LayerNorm', epsilon), width);
  for (let at = 0; at < config.size('num_hidden_layers', 12); at += 1) {
    const layer = `encoder.layer.${at}`;
    const [query = '', key = '', value = ''] = writer.split(g.linear(rows, `${layer}.attention.qkv_proj`), 3);
    const turned = (part: Value): Value => (rotary ? rotate(g, part, heads, rotary) : g.byText(part));
    const attended = g.attention([turned(query), turned(key), g.byText(value)], heads, width);
    rows = g.norm(g.add(g.linear(attended, `${layer}.attention.o_proj`), rows), `${layer}.attn_ln`, epsilon);
    const [up = '', gate = ''] = writer.split(g.linear(rows, `${layer}.mlp.up_gate_proj`), 2);
    const inner = g.multiply(g.activation(gate, activation), up);
    rows = g.norm(g.add(g.linear(inner, `${layer}.mlp.down_proj`), rows), `${layer}.mlp_ln`, epsilon);
  }
  return rows;
}

/** In models for longer texts, the rotation is scaled (NTK). */
function tables(g: EncoderGraph, headWidth: number): Rotary {
  const { config } = g;
  const base = rotaryBase(config, 'rope_theta', config.text('model_type', '') === 'gte' ? 160_000 : 10_000);
  const options = { positions: config.size('max_position_embeddings', 512), headWidth };
  const scaling = config.value('rope_scaling') ?? undefined;
  return rotaryTables(g, {
    ...options,
    ...(scaling === undefined ? { base } : scaled(scaling, base, headWidth)),
  });
}

function scaled(scaling: unknown, base: number, headWidth: number): Pick<RotaryOptions, 'base' | 'rescale'> {
  const {
    type,
    factor,
    mixed_b: mixed,
  } = Object(scaling) as { type?: unknown; factor?: unknown; mixed_b?: unknown };
  if (type !== 'ntk' || typeof factor !== 'number') {
    throw needsExport(
      `\`rope_scaling\` in config.json must have the type "ntk" and a factor, not ${JSON.stringify(scaling)}.`,
    );
  }
  if (typeof mixed !== 'number') {
    return { base: base * factor, rescale: (frequency) => frequency / factor ** (2 / headWidth) };
  }
  const slope = Math.log(factor) / (headWidth / 2) ** mixed;
  return { base, rescale: (frequency, pair) => frequency / Math.exp(slope * (pair + 1) ** mixed) };
}
