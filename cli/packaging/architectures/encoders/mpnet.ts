import { addPositionsAfterPadding, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { postNormLayer } from '../post-norm-layer.ts';
import { distanceBias } from '../relative-bias.ts';

/** The padding id, after which positions start. MPNet's code hard-codes it. */
const PAD_ID = 1;
/** MPNet's code hard-codes how distances share buckets, too. */
const DISTANCES = { buckets: 32, maxDistance: 128 };

export function mpnet(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('relative_attention_num_buckets', [DISTANCES.buckets]);
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', 1e-12);
  const activation = config.text('hidden_act', 'gelu');
  const embedded = addPositionsAfterPadding(g, wordEmbeddings(g), PAD_ID);
  const bias = distanceBias(g, 'encoder.relative_attention_bias', DISTANCES);
  let rows = g.byToken(g.norm(embedded, 'embeddings.LayerNorm', epsilon), width);
  for (let at = 0; at < config.size('num_hidden_layers', 12); at += 1) {
    const layer = `encoder.layer.${at}`;
    const self = `${layer}.attention.attn`;
    const names = {
      query: `${self}.q`,
      key: `${self}.k`,
      value: `${self}.v`,
      attended: `${self}.o`,
      attentionNorm: `${layer}.attention.LayerNorm`,
      up: `${layer}.intermediate.dense`,
      down: `${layer}.output.dense`,
      norm: `${layer}.output.LayerNorm`,
    };
    rows = postNormLayer(g, rows, names, { heads, width, epsilon, activation }, { bias });
  }
  return rows;
}
