import { addPositions, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { postNormLayer } from '../post-norm-layer.ts';

const EPSILON = 1e-12;

export function distilbert(g: EncoderGraph): Value {
  const { config } = g;
  const width = config.size('dim', 768);
  const heads = config.size('n_heads', 12);
  const activation = config.text('activation', 'gelu');
  const embedded = addPositions(g, wordEmbeddings(g));
  let rows = g.byToken(g.norm(embedded, 'embeddings.LayerNorm', EPSILON), width);
  for (let at = 0; at < config.size('n_layers', 6); at += 1) {
    const layer = `transformer.layer.${at}`;
    const self = `${layer}.attention`;
    const names = {
      query: `${self}.q_lin`,
      key: `${self}.k_lin`,
      value: `${self}.v_lin`,
      attended: `${self}.out_lin`,
      attentionNorm: `${layer}.sa_layer_norm`,
      up: `${layer}.ffn.lin1`,
      down: `${layer}.ffn.lin2`,
      norm: `${layer}.output_layer_norm`,
    };
    rows = postNormLayer(g, rows, names, { heads, width, epsilon: EPSILON, activation });
  }
  return rows;
}
