import { addPositions, addPositionsAfterPadding, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { postNormLayer } from '../post-norm-layer.ts';

/** BERT and ELECTRA. Small ELECTRA models have embeddings that are narrower than the hidden states. */
export const bert = (g: EncoderGraph): Value => encode(g, addPositions(g, wordEmbeddings(g)), 1e-12);

/** RoBERTa, XLM-RoBERTa and CamemBERT. */
export const roberta = (g: EncoderGraph): Value =>
  encode(g, addPositionsAfterPadding(g, wordEmbeddings(g), g.config.number('pad_token_id', 1)), 1e-12);

function encode(g: EncoderGraph, embedded: Value, defaultEpsilon: number): Value {
  const { config } = g;
  config.refuseUnless('position_embedding_type', ['absolute']);
  config.refuseUnless('is_decoder', [false]);
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', defaultEpsilon);
  const activation = config.text('hidden_act', 'gelu');

  const normed = g.norm(addTokenTypes(g, embedded), 'embeddings.LayerNorm', epsilon);
  let rows = g.weights.has('embeddings_project.weight')
    ? g.linear(g.byToken(normed, config.size('embedding_size', 128)), 'embeddings_project')
    : g.byToken(normed, width);
  for (let at = 0; at < config.size('num_hidden_layers', 12); at += 1) {
    const layer = `encoder.layer.${at}`;
    const self = `${layer}.attention.self`;
    const output = `${layer}.attention.output`;
    const names = {
      query: `${self}.query`,
      key: `${self}.key`,
      value: `${self}.value`,
      attended: `${output}.dense`,
      attentionNorm: `${output}.LayerNorm`,
      up: `${layer}.intermediate.dense`,
      down: `${layer}.output.dense`,
      norm: `${layer}.output.LayerNorm`,
    };
    rows = postNormLayer(g, rows, names, { heads, width, epsilon, activation });
  }
  return rows;
}
