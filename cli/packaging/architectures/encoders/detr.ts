import { int } from '#core/onnx/attributes.ts';
import { BOOL, FLOAT32 } from '#core/onnx/element-types.ts';
import { joinedBoxes, requireRows } from '../box-heads.ts';
import type { Value } from '../graph-writer.ts';
import type { ImageGraph } from '../image-graph.ts';
import type { LayerNames } from '../layer-names.ts';
import { type LayerSettings, postNormSublayers } from '../post-norm-layer.ts';
import { resnetBackbone } from '../resnet-backbone.ts';
import { headsThatDivide } from '../tower-layers.ts';
import { bartLayerNames } from './bart.ts';

/** The code of DETR does not make these configurable. */
const EPSILON = 1e-5;
const TEMPERATURE = 10_000;
/** Added before a division, as in DETR's code. */
const SMALLEST = 1e-6;

/** Rows, and the graph to which they belong. */
interface Rows {
  readonly g: ImageGraph;
  readonly rows: Value;
  /** Added to the rows before they become queries or keys. */
  readonly positions: Value;
}

/**
 * DETR: a ResNet, an encoder of the cells of its map, and a decoder whose queries attend to each other and to
 * the cells.
 */
export function detr(graph: ImageGraph): Value {
  const { config } = graph;
  config.refuseUnless('position_embedding_type', ['sine']);
  const width = config.size('d_model', 256);
  const settingsOf = (part: string): LayerSettings => ({
    heads: headsThatDivide(width, config.size(`${part}_attention_heads`, 8)),
    width,
    epsilon: EPSILON,
    activation: config.text('activation_function', 'relu'),
  });
  const map = graph.convolution(resnetBackbone(graph), 'input_projection', { stride: 1 });
  const cells = graph.cellsOf(map);
  const g = graph.withTokens(graph.sizesOf(cells, 1, 2));
  const positions = g.byToken(graph.forEachImage(sinePositions(graph, map, width)), width);
  let image: Rows = { g, rows: g.byToken(cells, width), positions };
  for (let at = 0; at < config.size('encoder_layers', 6); at += 1) {
    const names = bartLayerNames(`encoder.layers.${at}`);
    const settings = settingsOf('encoder');
    const attended = attend(image, image, names, settings);
    image = { ...image, rows: postNormSublayers(g, image.rows, attended, names, settings) };
  }
  const found = decode(graph, image, settingsOf('decoder'));
  const states = found.g.norm(found.rows, 'decoder.layernorm', EPSILON);
  return joinedBoxes(found.g, states, found.g.linear(states, 'class_labels_classifier'));
}

/** The queries after the decoder. */
function decode(graph: ImageGraph, image: Rows, settings: LayerSettings): Rows {
  const { config, writer } = graph;
  const { width } = settings;
  const table = 'query_position_embeddings.weight';
  const count = config.size('num_queries', 100);
  requireRows(graph, table, count, width, '`num_queries` and `d_model`');
  const g = graph.withTokens(count);
  const single = writer.op('Reshape', [g.weight(table), writer.integers([1, count, width])]);
  const positions = g.byToken(graph.forEachImage(single), width);
  let queries: Rows = { g, rows: g.multiply(positions, writer.float(0)), positions };
  for (let at = 0; at < config.size('decoder_layers', 6); at += 1) {
    const layer = `decoder.layers.${at}`;
    const self = bartLayerNames(layer);
    const own = g.linear(attend(queries, queries, self, settings), self.attended);
    const mixed = { ...queries, rows: g.norm(g.add(queries.rows, own), self.attentionNorm, EPSILON) };
    const cross = bartLayerNames(layer, 'encoder_attn');
    const attended = attend(mixed, image, cross, settings);
    queries = { ...mixed, rows: postNormSublayers(g, mixed.rows, attended, cross, settings) };
  }
  return queries;
}

/** Attention, in which positions are added to queries and keys, but not to values. */
function attend(from: Rows, to: Rows, names: LayerNames, { heads, width }: LayerSettings): Value {
  const projected = ({ g, rows }: Rows, name: string): Value => g.byText(g.linear(rows, name));
  const placed = (of: Rows): Rows => ({ ...of, rows: of.g.add(of.rows, of.positions) });
  return from.g.attention(
    [projected(placed(from), names.query), projected(placed(to), names.key), projected(to, names.value)],
    heads,
    width,
  );
}

/** Sines and cosines of the position of each cell, of its row in the first half: 1 x cells x width. */
function sinePositions(g: ImageGraph, map: Value, width: number): Value {
  const { writer } = g;
  const half = width / 2;
  const periods = Float32Array.from(
    { length: half },
    (_, at) => TEMPERATURE ** Math.fround((2 * Math.floor(at / 2)) / half),
  );
  const isSine = writer.op(
    'Cast',
    [
      writer.floats(
        Float32Array.from(periods, (_, at) => (at + 1) % 2),
        [half],
      ),
    ],
    int('to', BOOL),
  );
  const along = (axis: number): Value => {
    const size = writer.op('Squeeze', [g.sizesOf(map, axis, axis + 1)]);
    const end = writer.op('Add', [size, writer.integer(1)]);
    const counted = writer.op(
      'Cast',
      [writer.op('Range', [writer.integer(1), end, writer.integer(1)])],
      int('to', FLOAT32),
    );
    const length = g.add(writer.op('Cast', [size], int('to', FLOAT32)), writer.float(SMALLEST));
    const angles = g.multiply(writer.op('Div', [counted, length]), writer.float(2 * Math.PI));
    const column = writer.op('Unsqueeze', [angles, writer.integers([1])]);
    const scaled = writer.op('Div', [column, writer.floats(periods, [half])]);
    return writer.op('Where', [isSine, writer.op('Sin', [scaled]), writer.op('Cos', [scaled])]);
  };
  const shape = writer.op('Concat', [g.sizesOf(map, 2, 4), writer.integers([half])], int('axis', 0));
  const spread = (value: Value, axis: number): Value =>
    writer.op('Expand', [writer.op('Unsqueeze', [value, writer.integers([axis])]), shape]);
  const both = writer.op('Concat', [spread(along(2), 1), spread(along(3), 0)], int('axis', -1));
  return writer.op('Reshape', [both, writer.integers([1, -1, width])]);
}
