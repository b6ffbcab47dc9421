import { addPositions, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';

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
    const attended = g.attention(
      [
        g.byText(g.linear(rows, `${self}.q_lin`)),
        g.byText(g.linear(rows, `${self}.k_lin`)),
        g.byText(g.linear(rows, `${self}.v_lin`)),
      ],
      heads,
      width,
    );
    rows = g.norm(g.add(g.linear(attended, `${self}.out_lin`), rows), `${layer}.sa_layer_norm`, EPSILON);
    rows = g.feedForward(
      rows,
      { up: `${layer}.ffn.lin1`, down: `${layer}.ffn.lin2`, norm: `${layer}.output_layer_norm` },
      EPSILON,
      activation,
    );
  }
  return rows;
}
