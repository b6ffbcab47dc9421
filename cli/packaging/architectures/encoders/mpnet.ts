import { ints } from '../../onnx/attributes.ts';
import { addPositionsAfterPadding, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { postNormLayer } from '../post-norm-layer.ts';

/** The padding id, after which positions start. MPNet's code hard-codes it. */
const PAD_ID = 1;
/** The number of buckets for distances, which MPNet's code hard-codes, too. */
const BUCKETS = 32;
const MAX_DISTANCE = 128;

export function mpnet(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('relative_attention_num_buckets', [BUCKETS]);
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', 1e-12);
  const activation = config.text('hidden_act', 'gelu');
  const embedded = addPositionsAfterPadding(g, wordEmbeddings(g), PAD_ID);
  const bias = distanceBias(g, config.size('max_position_embeddings', 512));
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
    rows = postNormLayer(g, rows, names, { heads, width, epsilon, activation }, () => ({ bias }));
  }
  return rows;
}

/**
 * A bias for each head and each distance between key and query, shared by all layers; 1 x heads x
 * length x length.
 */
function distanceBias(g: EncoderGraph, positions: number): Value {
  const { writer } = g;
  const buckets = Array.from({ length: 2 * positions - 1 }, (_, at) => bucketOf(at - (positions - 1)));
  const index = writer.op('Gather', [
    writer.integers(buckets),
    g.add(g.distances, writer.integer(positions - 1)),
  ]);
  const bias = writer.op(
    'Transpose',
    [g.lookUp('encoder.relative_attention_bias', index)],
    ints('perm', [2, 0, 1]),
  );
  return writer.op('Unsqueeze', [bias, writer.integers([0])]);
}

/**
 * Each small distance has its own bucket; larger ones share buckets on a logarithmic scale,
 * computed in float32 as in PyTorch.
 */
function bucketOf(distance: number): number {
  const half = BUCKETS / 2;
  const exact = half / 2;
  const size = Math.abs(distance);
  const side = distance > 0 ? half : 0;
  if (size < exact) return side + size;
  const scaled = Math.fround(
    Math.fround(
      Math.fround(Math.log(Math.fround(size / exact))) / Math.fround(Math.log(MAX_DISTANCE / exact)),
    ) *
      (half - exact),
  );
  return side + Math.min(half - 1, exact + Math.floor(scaled));
}
