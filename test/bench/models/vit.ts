import { FLOAT32, GraphBuilder, int, ints } from './graph-builder.ts';
import { attention, concat, dense, dimension, feedForward, layerNorm } from './layers.ts';
import type { GraphValue } from './write-model.ts';

/** The dimensions of ViT-tiny, a classifier with the labels of ImageNet-1k. */
export const VIT_TINY = {
  layers: 12,
  hidden: 192,
  heads: 3,
  intermediate: 768,
  image: 224,
  patch: 16,
  labels: 1000,
} as const;

const CHANNELS = 3;

export const VIT_INPUT: GraphValue = {
  name: 'pixel_values',
  type: FLOAT32,
  axes: ['batch_size', CHANNELS, VIT_TINY.image, VIT_TINY.image],
};

export const VIT_OUTPUT: GraphValue = {
  name: 'logits',
  type: FLOAT32,
  axes: ['batch_size', VIT_TINY.labels],
};

/** A ViT classifier with the same nodes as PyTorch's exporter writes (opset 17, attention in single operators). */
export function vitGraph(): GraphBuilder {
  const { layers, hidden: size, labels } = VIT_TINY;
  const graph = new GraphBuilder();
  let hidden = patches(graph);
  for (let layer = 0; layer < layers; layer += 1) {
    const scope = `/encoder/layer.${layer}`;
    const before = layerNorm(graph, `${scope}/layernorm_before`, size, hidden);
    hidden = graph.op('Add', scope, [attention(graph, scope, VIT_TINY, before), hidden]);
    const after = layerNorm(graph, `${scope}/layernorm_after`, size, hidden);
    hidden = graph.op('Add', `${scope}/output`, [feedForward(graph, scope, VIT_TINY, after), hidden]);
  }
  const normed = layerNorm(graph, '/layernorm', size, hidden);
  const first = graph.op('Gather', '', [normed, graph.wholeNumbers('', [0], [])], int('axis', 1));
  dense(graph, '/classifier', [size, labels], first);
  const last = graph.nodes.at(-1);
  if (last) last.output = [VIT_OUTPUT.name];
  return graph;
}

/** One vector per patch, after a vector for the whole image, with their positions added. */
function patches(graph: GraphBuilder): string {
  const { hidden, image, patch } = VIT_TINY;
  const scope = '/embeddings';
  const name = 'embeddings.patch_embeddings.projection';
  const kernel = graph.weight(`${name}.weight`, [hidden, CHANNELS, patch, patch], 'normal');
  const cells = graph.op(
    'Conv',
    `${scope}/patch_embeddings/projection`,
    [VIT_INPUT.name, kernel, graph.weight(`${name}.bias`, [hidden], 'zeros')],
    ints('kernel_shape', [patch, patch]),
    ints('strides', [patch, patch]),
  );
  const batch = dimension(graph, scope, VIT_INPUT.name, 0);
  const flat = graph.op('Reshape', scope, [cells, concat(graph, scope, [batch, hidden, -1])]);
  const rows = graph.op('Transpose', scope, [flat], ints('perm', [0, 2, 1]));
  const whole = graph.op('Expand', scope, [
    graph.weight('embeddings.cls_token', [1, 1, hidden], 'normal'),
    concat(graph, scope, [batch, 1, hidden]),
  ]);
  const all = graph.op('Concat', scope, [whole, rows], int('axis', 1));
  const count = (image / patch) ** 2 + 1;
  const places = graph.weight('embeddings.position_embeddings', [1, count, hidden], 'normal');
  return graph.op('Add', scope, [all, places]);
}
