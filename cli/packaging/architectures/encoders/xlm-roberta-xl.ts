import { addPositionsAfterPadding, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { bertLayerNames } from '../layer-names.ts';
import { preNormLayer } from '../pre-norm-layer.ts';

/** XLM-RoBERTa XL and XXL, whose norms precede the sublayers, so the embeddings have none. */
export function xlmRobertaXl(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('position_embedding_type', ['absolute']);
  config.refuseUnless('is_decoder', [false]);
  const width = config.size('hidden_size', 2560);
  const heads = config.size('num_attention_heads', 32);
  const epsilon = config.number('layer_norm_eps', 1e-5);
  const activation = config.text('hidden_act', 'gelu');
  const positioned = addPositionsAfterPadding(g, wordEmbeddings(g), config.number('pad_token_id', 1));
  let rows = g.byToken(addTokenTypes(g, positioned), width);
  for (let at = 0; at < config.size('num_hidden_layers', 36); at += 1) {
    const layer = `encoder.layer.${at}`;
    const names = {
      ...bertLayerNames(at),
      attentionNorm: `${layer}.attention.self_attn_layer_norm`,
      norm: `${layer}.LayerNorm`,
    };
    rows = preNormLayer(g, rows, names, { heads, width, epsilon, activation });
  }
  return g.norm(rows, 'encoder.LayerNorm', epsilon);
}
