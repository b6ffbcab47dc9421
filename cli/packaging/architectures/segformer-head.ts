import { float, int, ints, text } from '#core/onnx/attributes.ts';
import { segformerStages, type StageMap } from './encoders/segformer.ts';
import type { Value } from './graph-writer.ts';
import type { ImageGraph } from './image-graph.ts';

/** The default of torch. */
const EPSILON = 1e-5;
const NAME = 'decode_head';

/**
 * The scores of each label for each cell of the first map: images x labels x height x width.
 *
 * The model has a linear layer for each map, enlarges the maps, joins them and has a linear layer for the
 * joined map. Enlarging computes weighted means, so both layers can run before it. The graph has their
 * product, which ONNX Runtime computes once during the build: for SegFormer-B0, the head then needs a tenth
 * of the operations.
 */
export function segformerPixelLabels(g: ImageGraph): Value {
  const { config, writer } = g;
  // The code of transformers has no result for other values.
  config.refuseUnless('reshape_last_stage', [true]);
  const stages = segformerStages(g);
  const width = config.size('decoder_hidden_size', 256);
  g.weights.get(`${NAME}.linear_fuse.weight`, [width, width * stages.length, 1, 1]);
  const joined = writer.op('Reshape', [
    g.weight(`${NAME}.linear_fuse.weight`),
    writer.integers([width, width * stages.length]),
  ]);
  // The last map comes first.
  const layers = writer.results(
    'Split',
    [joined],
    stages.length,
    int('axis', 1),
    int('num_outputs', stages.length),
  );
  const [first] = stages;
  const maps = stages.map((stage, at) => {
    const layer = layers.at(-1 - at) ?? '';
    const map = projected(g, stage, layer, { name: `${NAME}.linear_c.${at}.proj`, width });
    return at === 0 || !first ? map : enlarged(g, map, first);
  });
  const sum = maps.reduce((total, map) => g.add(total, map));
  const parts = ['weight', 'bias', 'running_mean', 'running_var'].map((part) =>
    g.weight(`${NAME}.batch_norm.${part}`),
  );
  const normed = writer.op('BatchNormalization', [sum, ...parts], float('epsilon', EPSILON));
  return g.convolution(g.activation(normed, 'relu'), `${NAME}.classifier`, { stride: 1 });
}

/** Both linear layers on the cells of a map. `layer` is the second one: outputs x inputs. */
function projected(
  g: ImageGraph,
  { map, grid, width: inputs }: StageMap,
  layer: Value,
  { name, width }: { readonly name: string; readonly width: number },
): Value {
  const { writer } = g;
  g.weights.get(`${name}.weight`, [width, inputs]);
  const weight = writer.op('MatMul', [layer, g.weight(`${name}.weight`)]);
  const bias = writer.op('MatMul', [layer, g.weight(`${name}.bias`)]);
  const rows = g.byToken(g.cellsOf(map), inputs);
  return g.mapOf(writer.op('Gemm', [rows, weight, bias], int('transB', 1)), grid, width);
}

/** Enlarges a map to the size of another one, linearly between the centers of cells. */
function enlarged({ writer }: ImageGraph, map: Value, { grid }: StageMap): Value {
  return writer.op(
    'Resize',
    [map, '', '', writer.integers([grid.height, grid.width])],
    ints('axes', [2, 3]),
    text('mode', 'linear'),
    text('coordinate_transformation_mode', 'half_pixel'),
  );
}
