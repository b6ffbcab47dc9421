import { float, int, ints, text } from '#core/onnx/attributes.ts';
import { headLayers, joinedBoxes, requireRows } from '../box-heads.ts';
import type { Value } from '../graph-writer.ts';
import { gridOf, type ImageGraph, type ImageSize, readImageSize } from '../image-graph.ts';
import { preNormLayer } from '../pre-norm-layer.ts';
import { towerSettings } from '../tower-layers.ts';
import { vitLayerNames } from './vit.ts';

const CONVOLUTION = 'embeddings.patch_embeddings.projection';
const QUERIES = 'embeddings.detection_tokens';
/** The default of `image_size`. */
const IMAGE_SIZE: ImageSize = { height: 512, width: 864 };
/** Torch's slope of cubic interpolation. */
const SLOPE = -0.75;

/** YOLOS: ViT with a token for each query after the patches. Positions are interpolated for each size of images. */
export function yolos(graph: ImageGraph): Value {
  const { config, writer, weights } = graph;
  const settings = towerSettings(config, { epsilon: 1e-12, activation: 'gelu' });
  const { width } = settings;
  const layers = config.size('num_hidden_layers', 12);
  const queries = config.size('num_detection_tokens', 100);
  const side = config.size('patch_size', 16);
  const patch = { height: side, width: side };
  weights.get(`${CONVOLUTION}.weight`, [width, 3, side, side]);
  requireRows(graph, QUERIES, queries, width, '`num_detection_tokens` and `hidden_size`');
  const map = graph.convolution(graph.pixels, CONVOLUTION, { stride: patch });
  const grid = graph.sizesOf(map, 2, 4);
  const image = config.value('image_size') ? readImageSize(config, 'image_size', 0) : IMAGE_SIZE;
  const trained = gridOf(image, patch);
  const positionsOf = (name: string, lists: number): Value =>
    positions(graph, name, { lists, queries, trained, width, grid });

  const tokens = ['embeddings.cls_token', QUERIES].map((name) => {
    const rows = writer.op('Reshape', [graph.weight(name), writer.integers([1, -1, width])]);
    return graph.forEachImage(rows);
  });
  const [first = '', last = ''] = tokens;
  const all = writer.op('Concat', [first, graph.cellsOf(map), last], int('axis', 1));
  const g = graph.withTokens(graph.sizesOf(all, 1, 2));
  let rows = g.byToken(g.add(all, positionsOf('embeddings.position_embeddings', 1)), width);
  const between = config.flag('use_mid_position_embeddings', true) && layers > 1;
  const ofLayers = between ? positionsOf('encoder.mid_position_embeddings', layers - 1) : '';
  for (let at = 0; at < layers; at += 1) {
    rows = preNormLayer(g, rows, vitLayerNames(at), settings);
    if (!between || at === layers - 1) continue;
    const own = writer.op('Gather', [ofLayers, writer.integers([at])], int('axis', 0));
    rows = g.byToken(g.add(g.byText(rows), own), width);
  }
  const found = writer.op('Slice', [g.byText(rows), ...slice(-queries, Number.MAX_SAFE_INTEGER, writer)]);
  const ofQueries = graph.withTokens(queries);
  const states = ofQueries.norm(ofQueries.byToken(found, width), 'layernorm', settings.epsilon);
  return joinedBoxes(ofQueries, states, headLayers(ofQueries, states, 'class_labels_classifier'));
}

/** Bounds of a slice of the second axis. */
const slice = (from: number, to: number, writer: ImageGraph['writer']): Value[] =>
  [from, to, 1].map((value) => writer.integers([value]));

interface PositionTable {
  /** Number of lists of positions. */
  readonly lists: number;
  readonly queries: number;
  /** The grid of patches of the positions, and of the images. */
  readonly trained: ImageSize;
  readonly grid: Value;
  readonly width: number;
}

/** Lists of positions for the first token, the patches of the images, and the queries: lists x rows x width. */
function positions(
  g: ImageGraph,
  name: string,
  { lists, queries, trained, grid, width }: PositionTable,
): Value {
  const { writer } = g;
  const patches = trained.height * trained.width;
  const keys = '`image_size`, `patch_size`, `num_detection_tokens`, `num_hidden_layers` and `hidden_size`';
  requireRows(g, name, lists * (1 + patches + queries), width, keys);
  const table = writer.op('Reshape', [g.weight(name), writer.integers([lists, -1, width])]);
  const part = (from: number, to: number): Value => writer.op('Slice', [table, ...slice(from, to, writer)]);
  const cells = writer.op('Reshape', [
    part(1, 1 + patches),
    writer.integers([lists, trained.height, trained.width, width]),
  ]);
  const map = writer.op('Transpose', [cells], ints('perm', [0, 3, 1, 2]));
  const sizes = writer.op('Concat', [writer.integers([lists, width]), grid], int('axis', 0));
  const resized = writer.op(
    'Resize',
    [map, '', '', sizes],
    text('mode', 'cubic'),
    text('coordinate_transformation_mode', 'half_pixel'),
    float('cubic_coeff_a', SLOPE),
  );
  const end = 1 + patches;
  return writer.op('Concat', [part(0, 1), g.cellsOf(resized), part(end, end + queries)], int('axis', 1));
}
