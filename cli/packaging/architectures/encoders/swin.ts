import { configError } from '#contract/errors.ts';
import { int, ints } from '#core/onnx/attributes.ts';
import type { Value } from '../graph-writer.ts';
import { type ImageHead, meanFrom } from '../image-heads.ts';
import {
  gridOf,
  type ImageGraph,
  type ImageSize,
  readImageSize,
  readSizes,
  sizeText,
} from '../image-graph.ts';
import type { LayerNames } from '../layer-names.ts';
import { preNormLayer } from '../pre-norm-layer.ts';
import { patchLayerNames } from './vit.ts';
import { headsThatDivide } from '../tower-layers.ts';
import { biasOfOffsets, checkPairs, offsetCount, offsetsOf } from '../window-bias.ts';

/** The epsilon of norms outside of layers is not configurable. */
const EPSILON = 1e-5;
/** The bias for cells that are not neighbors before the map is shifted. */
const APART = -100;

/** A map of cells, one per row. */
interface CellMap {
  readonly g: ImageGraph;
  readonly rows: Value;
  readonly grid: ImageSize;
  readonly width: number;
}

/** Swin: attention inside windows of a map. Every second layer shifts the map by half a window. */
export function swin(graph: ImageGraph): Value {
  const { config } = graph;
  const depths = readSizes(config, 'depths', [2, 2, 6, 2]);
  const heads = readSizes(config, 'num_heads', [3, 6, 12, 24]);
  if (heads.length !== depths.length) {
    throw configError(
      `\`num_heads\` in config.json has ${heads.length} numbers, but \`depths\` has ${depths.length}. Use the config.json that belongs to the weights.`,
    );
  }
  let map = embedCells(graph);
  for (const [stage, depth] of depths.entries()) {
    const settings = {
      heads: headsThatDivide(map.width, heads[stage] ?? 1),
      width: map.width,
      epsilon: config.number('layer_norm_eps', 1e-5),
      activation: config.text('hidden_act', 'gelu'),
    };
    for (let at = 0; at < depth; at += 1) {
      const { g, rows } = map;
      const layer = `encoder.layers.${stage}.blocks.${at}`;
      const { grid, width } = map;
      const windows = windowsOf(g, grid, at % 2 === 1);
      const attend = (normed: Value): Value =>
        attendInWindows({ g, rows: normed, grid, width }, layer, settings.heads, windows);
      map = { ...map, rows: preNormLayer(g, rows, layerNames(layer), settings, { attend }) };
    }
    if (stage < depths.length - 1) map = mergeCells(map, `encoder.layers.${stage}.downsample`);
  }
  return map.g.byText(map.g.norm(map.rows, 'layernorm', config.number('layer_norm_eps', 1e-5)));
}

const layerNames = (layer: string): LayerNames => patchLayerNames(layer, 'attention.self');

/** The vectors of patches. Images are filled with zeros to whole patches. */
function embedCells(graph: ImageGraph): CellMap {
  const { config, size } = graph;
  const width = config.size('embed_dim', 96);
  const patch = readImageSize(config, 'patch_size', 4);
  gridOf(size, patch);
  const [bottom, right] = [missing(size.height, patch.height), missing(size.width, patch.width)];
  const filled = padded(graph, graph.pixels, [0, 0, bottom, right]);
  const grid = gridOf({ height: size.height + bottom, width: size.width + right }, patch);
  const name = 'embeddings.patch_embeddings.projection';
  graph.weights.get(`${name}.weight`, [width, 3, patch.height, patch.width]);
  const cells = graph.cellsOf(graph.convolution(filled, name, { stride: patch }));
  const normed = graph.norm(cells, 'embeddings.norm', EPSILON);
  const positions = 'embeddings.position_embeddings';
  if (!config.flag('use_absolute_embeddings', false)) return cellMap(graph, normed, grid, width);
  graph.weights.get(positions, [1, grid.height * grid.width, width]);
  return cellMap(graph, graph.add(normed, graph.weight(positions)), grid, width);
}

function cellMap(graph: ImageGraph, cells: Value, grid: ImageSize, width: number): CellMap {
  const g = graph.withTokens(grid.height * grid.width);
  return { g, rows: g.byToken(cells, width), grid, width };
}

/** How much a side lacks to be a multiple of a part. */
const missing = (side: number, part: number): number => (part - (side % part)) % part;

/** Adds zeros after the values of each axis. */
function padded({ writer }: ImageGraph, value: Value, after: readonly number[]): Value {
  if (after.every((count) => count === 0)) return value;
  return writer.op('Pad', [value, writer.integers([...after.map(() => 0), ...after])]);
}

interface Windows {
  readonly side: number;
  /** Number of cells by which the map is shifted. */
  readonly shift: number;
  /** Size of the map, filled to whole windows. */
  readonly filled: ImageSize;
}

function windowsOf({ config }: ImageGraph, grid: ImageSize, isShifted: boolean): Windows {
  const side = config.size('window_size', 7);
  const smaller = Math.min(grid.height, grid.width);
  if (smaller < side) {
    throw configError(
      `Images of this size become a map of ${sizeText(grid)} cells, which is smaller than \`window_size\` in config.json (${side}). Use the preprocessor_config.json that belongs to the weights.`,
    );
  }
  return {
    side,
    // A map of one window is not shifted.
    shift: isShifted && smaller > side ? Math.floor(side / 2) : 0,
    filled: {
      height: grid.height + missing(grid.height, side),
      width: grid.width + missing(grid.width, side),
    },
  };
}

/** Attention inside the windows of a map. Input and output are rows. */
function attendInWindows(
  { g, rows, grid, width }: CellMap,
  layer: string,
  heads: number,
  { side, shift, filled }: Windows,
): Value {
  const { writer } = g;
  const reshaped = (value: Value, shape: readonly number[]): Value =>
    writer.op('Reshape', [value, writer.integers(shape)]);
  const swapped = (value: Value): Value => writer.op('Transpose', [value], ints('perm', [0, 1, 3, 2, 4, 5]));
  const [down, across] = [filled.height / side, filled.width / side];
  const map = padded(g, reshaped(rows, [-1, grid.height, grid.width, width]), [
    0,
    filled.height - grid.height,
    filled.width - grid.width,
    0,
  ]);
  const windows = swapped(reshaped(rolled(g, map, shift), [-1, down, side, across, side, width]));
  const cells = g.byToken(windows, width);
  const names = layerNames(layer);
  const part = (name: string): Value => reshaped(g.linear(cells, name), [-1, side * side, width]);
  const attended = g.attention([part(names.query), part(names.key), part(names.value)], heads, width, {
    bias: biasOf(g, layer, heads, { side, shift, filled }),
  });
  const back = swapped(reshaped(attended, [-1, down, across, side, side, width]));
  const whole = rolled(g, reshaped(back, [-1, filled.height, filled.width, width]), -shift);
  return g.byToken(cropped(g, whole, grid), width);
}

/** Moves the cells of a map up and to the left; those at the border return on the other side. */
function rolled({ writer }: ImageGraph, map: Value, shift: number): Value {
  if (shift === 0) return map;
  return [1, 2].reduce((value, axis) => {
    const slice = (from: number, to: number): Value =>
      writer.op('Slice', [value, ...[from, to, axis].map((one) => writer.integers([one]))]);
    const parts = [slice(shift, Number.MAX_SAFE_INTEGER), slice(0, shift)];
    return writer.op('Concat', parts, int('axis', axis));
  }, map);
}

/** The cells of a map that were not added to fill windows. */
const cropped = ({ writer }: ImageGraph, map: Value, { height, width }: ImageSize): Value =>
  writer.op('Slice', [
    map,
    ...[
      [0, 0],
      [height, width],
      [1, 2],
    ].map((list) => writer.integers(list)),
  ]);

/** The bias of offsets; in a shifted map, for each window of each image. */
function biasOf(g: ImageGraph, layer: string, heads: number, { side, shift, filled }: Windows): Value {
  const { writer } = g;
  const window = { height: side, width: side };
  const table = `${layer}.attention.self.relative_position_bias_table`;
  g.weights.get(table, [offsetCount(window), heads]);
  const ofOffsets = biasOfOffsets(g, table, offsetsOf(window));
  if (shift === 0) return ofOffsets;
  const length = side * side;
  const count = (filled.height / side) * (filled.width / side);
  checkPairs(length, count);
  const apart = writer.once(`cells of ${sizeText(filled)} that are apart`, () =>
    writer.floats(biasOfApart({ side, shift, filled }), [1, count, 1, length, length]),
  );
  const ofWindows = g.add(writer.op('Unsqueeze', [ofOffsets, writer.integers([0])]), apart);
  const repeated = g.forEachImage(ofWindows, 5);
  return writer.op('Reshape', [repeated, writer.integers([-1, heads, length, length])]);
}

/** For each window, -100 for pairs of cells that are not neighbors before the map is shifted. */
function biasOfApart({ side, shift, filled }: Windows): Float32Array {
  const regionOf = (at: number, size: number): number => (at < size - side ? 0 : at < size - shift ? 1 : 2);
  const [down, across] = [filled.height / side, filled.width / side];
  const length = side * side;
  const bias = new Float32Array(down * across * length * length);
  for (let window = 0; window < down * across; window += 1) {
    const regions = Array.from({ length }, (_, cell) => {
      const row = Math.floor(window / across) * side + Math.floor(cell / side);
      const column = (window % across) * side + (cell % side);
      return 3 * regionOf(row, filled.height) + regionOf(column, filled.width);
    });
    for (const [at, region] of regions.entries()) {
      for (const [other, otherRegion] of regions.entries())
        if (region !== otherRegion) bias[(window * length + at) * length + other] = APART;
    }
  }
  return bias;
}

/** Joins each square of four cells to one cell with twice the width. */
function mergeCells({ g, rows, grid, width }: CellMap, name: string): CellMap {
  const { writer } = g;
  const map = writer.op('Reshape', [rows, writer.integers([-1, grid.height, grid.width, width])]);
  const half = { height: Math.ceil(grid.height / 2), width: Math.ceil(grid.width / 2) };
  const even = padded(g, map, [0, grid.height % 2, grid.width % 2, 0]);
  const squares = writer.op('Reshape', [even, writer.integers([-1, half.height, 2, half.width, 2, width])]);
  // The upper and lower cell of the left column come first.
  const joined = writer.op('Transpose', [squares], ints('perm', [0, 1, 3, 4, 2, 5]));
  const normed = g.norm(g.byToken(joined, 4 * width), `${name}.norm`, EPSILON);
  return {
    g: g.withTokens(half.height * half.width),
    rows: g.linear(normed, `${name}.reduction`),
    grid: half,
    width: 2 * width,
  };
}

/** The mean of the last map. */
export const swinVector: ImageHead = (g, states) => meanFrom(g, states, 0);
