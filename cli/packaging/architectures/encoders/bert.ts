import { addPositions, addPositionsAfterPadding, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { bertLayerNames } from '../layer-names.ts';
import { postNormLayer } from '../post-norm-layer.ts';

/** BERT and ELECTRA. Small ELECTRA models have embeddings that are narrower than the hidden states. */
export const bert = (g: EncoderGraph): Value => encodeEmbedded(g, addPositions(g, wordEmbeddings(g)));

/** RoBERTa, XLM-RoBERTa and CamemBERT. */
export const roberta = (g: EncoderGraph): Value =>
  encodeEmbedded(g, addPositionsAfterPadding(g, wordEmbeddings(g), g.config.number('pad_token_id', 1)));

/** The layers of BERT. `embedded` is the sum of all embeddings except those of token types. */
export function encodeEmbedded(g: EncoderGraph, embedded: Value): Value {
  const { config } = g;
  config.refuseUnless('position_embedding_type', ['absolute']);
  config.refuseUnless('is_decoder', [false]);
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', 1e-12);
  const activation = config.text('hidden_act', 'gelu');

  const normed = g.norm(addTokenTypes(g, embedded), 'embeddings.LayerNorm', epsilon);
  let rows = g.weights.has('embeddings_project.weight')
    ? g.linear(g.byToken(normed, config.size('embedding_size', 128)), 'embeddings_project')
    : g.byToken(normed, width);
  for (let at = 0; at < config.size('num_hidden_layers', 12); at += 1) {
    rows = postNormLayer(g, rows, bertLayerNames(at), { heads, width, epsilon, activation });
  }
  return rows;
}
