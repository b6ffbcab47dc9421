import { wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { distanceBias } from '../relative-bias.ts';

/** Word embeddings, which the encoder shares with the decoder. Some files contain only the encoder's copy. */
const WORDS = 'shared';
const ENCODER_WORDS = 'encoder.embed_tokens';

/** The encoder of T5. Scores are not scaled, and depend on the distance between tokens. */
export function t5(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('is_decoder', [false]);
  const heads = config.size('num_heads', 8);
  const epsilon = config.number('layer_norm_epsilon', 1e-6);
  const norm = (rows: Value, name: string): Value => g.rmsNorm(rows, `${name}.layer_norm`, epsilon);
  const options = {
    scale: 1,
    // The first block contains the table, and all blocks use its bias.
    bias: distanceBias(g, 'encoder.block.0.layer.0.SelfAttention.relative_attention_bias', {
      buckets: config.size('relative_attention_num_buckets', 32),
      maxDistance: config.size('relative_attention_max_distance', 128),
    }),
  };
  const words = g.weights.has(`${WORDS}.weight`) ? WORDS : ENCODER_WORDS;
  let rows = g.byToken(wordEmbeddings(g, words), config.size('d_model', 512));
  for (let at = 0; at < config.size('num_layers', 6); at += 1) {
    const [attention, feedForward] = [`encoder.block.${at}.layer.0`, `encoder.block.${at}.layer.1`];
    const normed = norm(rows, attention);
    const part = (name: string): Value => g.byText(g.linear(normed, `${attention}.SelfAttention.${name}`));
    const width = heads * config.size('d_kv', 64);
    const attended = g.attention([part('q'), part('k'), part('v')], heads, width, options);
    rows = g.add(rows, g.linear(attended, `${attention}.SelfAttention.o`));
    rows = g.add(rows, dense(g, norm(rows, feedForward), `${feedForward}.DenseReluDense`));
  }
  return g.rmsNorm(rows, 'encoder.final_layer_norm', epsilon);
}

/**
 * The feed-forward layer. transformers derives `is_gated_act` and `dense_act_fn` from
 * `feed_forward_proj`, such as "relu" or "gated-gelu", and saves them, too; the saved values take
 * precedence.
 */
function dense(g: EncoderGraph, rows: Value, name: string): Value {
  const { config } = g;
  const projection = config.text('feed_forward_proj', 'relu');
  const activation = projection.replace(/^gated-/, '');
  const isGated = config.flag('is_gated_act', projection !== activation);
  // "gated-gelu" means the approximation by tanh, although "gelu" is the exact function elsewhere.
  const approximated = projection === 'gated-gelu' ? 'gelu_new' : activation;
  const act = config.text('dense_act_fn', approximated);
  const inner = isGated
    ? g.multiply(g.activation(g.linear(rows, `${name}.wi_0`), act), g.linear(rows, `${name}.wi_1`))
    : g.activation(g.linear(rows, `${name}.wi`), act);
  return g.linear(inner, `${name}.wo`);
}
