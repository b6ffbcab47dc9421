import { int } from '#core/onnx/attributes.ts';
import { configError } from '#contract/errors.ts';
import {
  addPositionsAfterPadding,
  addTokenTypes,
  positionsAfterPadding,
  wordEmbeddings,
} from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { bertLayerNames, type LayerNames } from '../layer-names.ts';
import { postNormSublayers } from '../post-norm-layer.ts';

/**
 * LiLT, for texts without positions on a page: as in transformers, all coordinates are 0. A second,
 * narrower encoder reads the layout, and both share the sum of their attention scores.
 */
export function lilt(g: EncoderGraph): Value {
  const { config } = g;
  config.refuseUnless('position_embedding_type', ['absolute']);
  const width = config.size('hidden_size', 768);
  const shrink = config.size('channel_shrink_ratio', 4);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', 1e-12);
  const activation = config.text('hidden_act', 'gelu');
  const padId = config.number('pad_token_id', 1);
  const narrow = width / shrink;
  if (!Number.isInteger(narrow / heads)) {
    throw configError(
      `\`hidden_size\` in config.json (${width}) must be a multiple of \`channel_shrink_ratio\` times \`num_attention_heads\` (${shrink} x ${heads}).`,
    );
  }
  const words = addTokenTypes(g, addPositionsAfterPadding(g, wordEmbeddings(g), padId));
  let rows = g.byToken(g.norm(words, 'embeddings.LayerNorm', epsilon), width);
  let layout = g.byToken(g.norm(embedLayout(g, padId), 'layout_embeddings.LayerNorm', epsilon), narrow);
  for (let at = 0; at < config.size('num_hidden_layers', 12); at += 1) {
    const text = bertLayerNames(at);
    const ofLayout = layoutNames(at);
    const query = (names: LayerNames, from: Value): Value => g.byText(g.linear(from, names.query));
    const queries = joinHeads(g, [query(text, rows), query(ofLayout, layout)], heads, shrink);
    const keys = joinHeads(
      g,
      [g.byText(g.linear(rows, text.key)), g.byText(g.linear(layout, ofLayout.key))],
      heads,
      1,
    );
    const values = joinHeads(
      g,
      [g.byText(g.linear(rows, text.value)), g.byText(g.linear(layout, ofLayout.value))],
      heads,
      1,
    );
    // Both parts have the same scores, so one attention computes both.
    const scale = 1 / Math.sqrt(width / heads);
    const joined = g.attention([queries, keys, values], heads, width + narrow, { scale });
    const [attended, ofBoxes] = splitHeads(g, joined, heads, [width, narrow]);
    rows = postNormSublayers(g, rows, attended, text, { epsilon, activation });
    layout = postNormSublayers(g, layout, ofBoxes, ofLayout, { epsilon, activation });
  }
  return rows;
}

/** The vectors of boxes without a size at the origin, and of the positions of tokens. */
function embedLayout(g: EncoderGraph, padId: number): Value {
  const { writer } = g;
  const zero = writer.integers([0]);
  // Left, top, right, bottom, height and width.
  const boxes = ['x', 'y', 'x', 'y', 'h', 'w'].map((axis) =>
    g.lookUp(`layout_embeddings.${axis}_position_embeddings`, zero),
  );
  const box = g.linear(writer.op('Concat', boxes, int('axis', 1)), 'layout_embeddings.box_linear_embeddings');
  return g.add(g.lookUp('layout_embeddings.box_position_embeddings', positionsAfterPadding(g, padId)), box);
}

/** The names of a layer's weights for the layout. */
function layoutNames(at: number): LayerNames {
  const layer = `encoder.layer.${at}`;
  const self = `${layer}.attention.self`;
  return {
    query: `${self}.layout_query`,
    key: `${self}.layout_key`,
    value: `${self}.layout_value`,
    attended: `${layer}.attention.layout_output.dense`,
    attentionNorm: `${layer}.attention.layout_output.LayerNorm`,
    up: `${layer}.layout_intermediate.dense`,
    down: `${layer}.layout_output.dense`,
    norm: `${layer}.layout_output.LayerNorm`,
  };
}

/**
 * Joins the heads of texts with those of the layout, so that the scores of both are added. The scale
 * of scores is that of texts, and scores of the layout have a scale of their own.
 */
function joinHeads(
  g: EncoderGraph,
  [text, layout]: readonly [Value, Value],
  heads: number,
  shrink: number,
): Value {
  const { writer } = g;
  const split = (value: Value): Value => writer.op('Reshape', [value, writer.integers([0, 0, heads, -1])]);
  const scaled = shrink === 1 ? layout : g.multiply(layout, writer.float(Math.sqrt(shrink)));
  const joined = writer.op('Concat', [split(text), split(scaled)], int('axis', 3));
  return writer.op('Reshape', [joined, writer.integers([0, 0, -1])]);
}

function splitHeads(
  g: EncoderGraph,
  rows: Value,
  heads: number,
  [width, narrow]: readonly [number, number],
): readonly [Value, Value] {
  const { writer } = g;
  const byHead = writer.op('Reshape', [rows, writer.integers([-1, heads, (width + narrow) / heads])]);
  const cut = (from: number, to: number, size: number): Value =>
    g.byToken(writer.op('Slice', [byHead, ...[from, to, 2].map((value) => writer.integers([value]))]), size);
  return [cut(0, width / heads, width), cut(width / heads, (width + narrow) / heads, narrow)];
}
