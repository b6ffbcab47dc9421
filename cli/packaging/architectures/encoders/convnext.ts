import { int, ints } from '#core/onnx/attributes.ts';
import type { Value } from '../graph-writer.ts';
import { type ImageHead, meanOfMap } from '../image-heads.ts';
import { gridOf, type ImageGraph, readImageSize, readSizes } from '../image-graph.ts';

/** The epsilon of norms between layers is not configurable. */
const EPSILON = 1e-6;

/**
 * ConvNeXt: a convolution over each channel, then a feed-forward layer on each cell of the map.
 * Version 2 has another norm in this layer.
 */
export function convnext(g: ImageGraph): Value {
  const { config } = g;
  const activation = config.text('hidden_act', 'gelu');
  const patch = readImageSize(config, 'patch_size', 4);
  gridOf(g.size, patch);
  const patches = g.convolution(g.pixels, 'embeddings.patch_embeddings', { stride: patch });
  let map = normOfChannels(g, patches, 'embeddings.layernorm');
  for (const [stage, depth] of readSizes(config, 'depths', [3, 3, 9, 3]).entries()) {
    const name = `encoder.stages.${stage}`;
    if (stage > 0) {
      const normed = normOfChannels(g, map, `${name}.downsampling_layer.0`);
      map = g.convolution(normed, `${name}.downsampling_layer.1`, { stride: 2 });
    }
    for (let at = 0; at < depth; at += 1) map = layer(g, map, `${name}.layers.${at}`, activation);
  }
  return map;
}

function layer(g: ImageGraph, map: Value, name: string, activation: string): Value {
  const [channels = 0] = g.weights.get(`${name}.dwconv.weight`).shape;
  const convolved = g.convolution(map, `${name}.dwconv`, { stride: 1, padding: 3, groups: channels });
  const cells = toLast(g, convolved);
  const normed = g.norm(cells, `${name}.layernorm`, EPSILON);
  const inner = g.activation(onCells(g, normed, `${name}.pwconv1`), activation);
  const responses = g.hasWeight(`${name}.grn.weight`) ? globalNorm(g, inner, `${name}.grn`) : inner;
  const passed = onCells(g, responses, `${name}.pwconv2`);
  const scale = `${name}.layer_scale_parameter`;
  const scaled = g.hasWeight(scale) ? g.multiply(passed, g.weight(scale)) : passed;
  return g.add(map, toFirst(g, scaled));
}

/** A linear layer on each cell: images x height x width x channels. */
function onCells(g: ImageGraph, cells: Value, name: string): Value {
  const { writer } = g;
  const [outputs = 0, inputs = 0] = g.weights.get(`${name}.weight`).shape;
  const rows = g.linear(g.byToken(cells, inputs), name);
  const shape = writer.op(
    'Concat',
    [writer.op('Shape', [cells], int('start', 0), int('end', 3)), writer.integers([outputs])],
    int('axis', 0),
  );
  return writer.op('Reshape', [rows, shape]);
}

/** Scales each channel by its length in the whole map, relative to the mean length of all channels. */
function globalNorm(g: ImageGraph, cells: Value, name: string): Value {
  const { writer } = g;
  const lengths = writer.op('ReduceL2', [cells, writer.integers([1, 2])], int('keepdims', 1));
  const mean = writer.op('ReduceMean', [lengths, writer.integers([-1])], int('keepdims', 1));
  const relative = writer.op('Div', [lengths, g.add(mean, writer.float(EPSILON))]);
  const scaled = g.multiply(g.weight(`${name}.weight`), g.multiply(cells, relative));
  return g.add(g.add(scaled, g.weight(`${name}.bias`)), cells);
}

const normOfChannels = (g: ImageGraph, map: Value, name: string): Value =>
  toFirst(g, g.norm(toLast(g, map), name, EPSILON));

/** Moves the channels to the last axis, or back. */
const toLast = (g: ImageGraph, map: Value): Value =>
  g.writer.op('Transpose', [map], ints('perm', [0, 2, 3, 1]));
const toFirst = (g: ImageGraph, cells: Value): Value =>
  g.writer.op('Transpose', [cells], ints('perm', [0, 3, 1, 2]));

/** The mean of the map after the last norm. */
export const convnextVector: ImageHead = (g, map) =>
  g.norm(meanOfMap(g, map), 'layernorm', g.config.number('layer_norm_eps', 1e-12));
