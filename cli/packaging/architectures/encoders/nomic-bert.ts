import { lookup } from '#core/values/lookup.ts';
import { configError } from '#contract/errors.ts';
import { addPositions, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import { experts } from '../experts.ts';
import { flashLayer, plainFeedForward } from '../flash-layer.ts';
import { gatedFeedForward } from '../gated-layer.ts';
import type { Value } from '../graph-writer.ts';
import { rotaryBase, rotaryTables } from '../rotary.ts';

/** Activation functions of the gate in a gated feed-forward layer. */
const GATES = lookup<string>({ swiglu: 'silu', geglu: 'gelu', glu: 'sigmoid' });

export function nomicBert(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('prenorm', [false]);
  config.refuseUnless('use_rms_norm', [false]);
  config.refuseUnless('parallel_block', [false]);
  config.refuseUnless('rotary_scaling_factor', []);
  config.refuseUnless('rotary_emb_scale_base', []);
  config.refuseUnless('causal', [false]);
  config.refuseUnless('norm_mlp', [false]);
  config.refuseUnless('moe_normalize_expert_weights', [false]);
  config.refuseUnless('num_shared_experts', [0]);
  config.refuseUnless('expert_choice_router', [false]);
  config.refuseUnless('ffn_div', [1]);
  const width = config.size(['n_embd', 'hidden_size'], 768);
  const heads = config.size(['n_head', 'num_attention_heads'], 12);
  const headWidth = width / heads;
  const epsilon = config.number(['layer_norm_epsilon', 'layer_norm_eps'], 1e-5);
  // In transformers 5, this architecture has its own class with different keys, and is always gated
  // and rotated.
  const isOfTransformers = config.value('n_embd') === undefined;
  const activation = config.text(['activation_function', 'hidden_act'], 'gelu');
  const gate = isOfTransformers ? activation : GATES[activation];
  const rotated = headWidth * config.number('rotary_emb_fraction', isOfTransformers ? 1 : 0);
  if (!Number.isInteger(rotated / 2)) {
    throw configError(
      '`rotary_emb_fraction` in config.json must select an even number of values per attention head.',
    );
  }
  const rotary =
    rotated > 0
      ? rotaryTables(g, {
          base: rotaryBase(config, 'rotary_emb_base', isOfTransformers ? 1000 : 10_000),
          positions: Math.max(config.size(['n_positions', 'max_position_embeddings'], 2048), 2048),
          headWidth,
          width: rotated,
          isInterleaved: config.flag('rotary_emb_interleaved', false),
        })
      : undefined;
  const words = wordEmbeddings(g);
  const embedded = addTokenTypes(g, rotary ? words : addPositions(g, words));
  let rows = g.byToken(g.norm(embedded, 'emb_ln', epsilon), width);
  for (let at = 0; at < config.size(['n_layer', 'num_hidden_layers'], 12); at += 1) {
    const layer = `encoder.layers.${at}`;
    const feedForward = (mixed: Value): Value => {
      const mlp = `${layer}.mlp`;
      if (g.weights.has(`${mlp}.router.layer.weight`)) return experts(g, mixed, mlp, activation);
      return gate === undefined
        ? plainFeedForward(g, mixed, mlp, activation)
        : gatedFeedForward(g, mixed, mlp, gate, { gate: 'fc12', up: 'fc11', down: 'fc2' });
    };
    const names = { layer, attention: 'attn' };
    rows = flashLayer(g, rows, names, { heads, width, epsilon, rotary }, feedForward);
  }
  return rows;
}
