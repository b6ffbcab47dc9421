import { addPositions, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { postNormLayer } from '../post-norm-layer.ts';

/** Layers in the same group share their weights. */
export function albert(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('position_embedding_type', ['absolute']);
  const width = config.size('hidden_size', 4096);
  const heads = config.size('num_attention_heads', 64);
  const epsilon = config.number('layer_norm_eps', 1e-12);
  const activation = config.text('hidden_act', 'gelu_new');
  const layers = config.size('num_hidden_layers', 12);
  const groups = config.size('num_hidden_groups', 1);

  const embedded = addTokenTypes(g, addPositions(g, wordEmbeddings(g)));
  const normed = g.norm(embedded, 'embeddings.LayerNorm', epsilon);
  let rows = g.linear(
    g.byToken(normed, config.size('embedding_size', 128)),
    'encoder.embedding_hidden_mapping_in',
  );
  for (let at = 0; at < layers; at += 1) {
    const group = Math.floor(at / (layers / groups));
    for (let inner = 0; inner < config.size('inner_group_num', 1); inner += 1) {
      const layer = `encoder.albert_layer_groups.${group}.albert_layers.${inner}`;
      const self = `${layer}.attention`;
      const names = {
        query: `${self}.query`,
        key: `${self}.key`,
        value: `${self}.value`,
        attended: `${self}.dense`,
        attentionNorm: `${self}.LayerNorm`,
        up: `${layer}.ffn`,
        down: `${layer}.ffn_output`,
        norm: `${layer}.full_layer_layer_norm`,
      };
      rows = postNormLayer(g, rows, names, { heads, width, epsilon, activation });
    }
  }
  return rows;
}
