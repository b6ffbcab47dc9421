import { configError } from '#contract/errors.ts';
import type { Value } from '../graph-writer.ts';
import { gridOf, type ImageGraph, type ImageSize, readSizes, sizeText } from '../image-graph.ts';
import type { LayerNames } from '../layer-names.ts';
import { preNormLayer } from '../pre-norm-layer.ts';
import { headsThatDivide } from '../tower-layers.ts';
import { patchLayerNames } from './vit.ts';

/** The epsilon of norms is the default of torch; `layer_norm_eps` in config.json has no effect. */
const EPSILON = 1e-5;

/** A map of cells: images x channels x height x width. */
export interface StageMap {
  readonly map: Value;
  readonly grid: ImageSize;
  readonly width: number;
}

/** SegFormer's encoder: the map of the last stage. */
export const segformer = (g: ImageGraph): Value => segformerStages(g).at(-1)?.map ?? g.pixels;

/**
 * The maps of all stages. Each stage starts with a convolution whose windows overlap. Instead of embedded
 * positions, the feed-forward layers have a convolution over neighboring cells.
 */
export function segformerStages(graph: ImageGraph): readonly StageMap[] {
  const { config } = graph;
  const depths = readSizes(config, 'depths', [2, 2, 2, 2]);
  const [widths, patches, strides, heads, ratios] = (
    [
      ['hidden_sizes', [32, 64, 160, 256]],
      ['patch_sizes', [7, 3, 3, 3]],
      ['strides', [4, 2, 2, 2]],
      ['num_attention_heads', [1, 2, 5, 8]],
      ['sr_ratios', [8, 4, 2, 1]],
    ] as const
  ).map(([key, otherwise]) => ofStages(graph, key, otherwise, depths.length)) as [
    Sizes,
    Sizes,
    Sizes,
    Sizes,
    Sizes,
  ];
  config.refuseUnless('num_encoder_blocks', [depths.length]);
  // Rejects images that would have too many cells.
  gridOf(graph.size, { height: strides[0] ?? 1, width: strides[0] ?? 1 });
  const activation = config.text('hidden_act', 'gelu');
  const stages: StageMap[] = [];
  let map = graph.pixels;
  let grid = graph.size;
  for (const [stage, depth] of depths.entries()) {
    const [width, patch, stride, ratio] = [widths, patches, strides, ratios].map(
      (sizes) => sizes[stage] ?? 1,
    ) as [number, number, number, number];
    const name = `encoder.patch_embeddings.${stage}`;
    const padding = Math.floor(patch / 2);
    graph.weights.get(`${name}.proj.weight`, [width, stages.at(-1)?.width ?? 3, patch, patch]);
    const cells = graph.cellsOf(graph.convolution(map, `${name}.proj`, { stride, padding }));
    grid = {
      height: convolvedSide(grid.height, patch, stride, padding),
      width: convolvedSide(grid.width, patch, stride, padding),
    };
    const g = graph.withTokens(grid.height * grid.width);
    let rows = g.byToken(g.norm(cells, `${name}.layer_norm`, EPSILON), width);
    const settings = {
      heads: headsThatDivide(width, heads[stage] ?? 1),
      width,
      epsilon: EPSILON,
      activation,
    };
    const cellMap = { g, grid, width };
    for (let at = 0; at < depth; at += 1) {
      const layer = `encoder.block.${stage}.${at}`;
      rows = preNormLayer(g, rows, layerNames(layer), settings, {
        attend: (normed) => attendToFewer(cellMap, normed, layer, { heads: settings.heads, ratio }),
        feedForward: (normed) => mixFeedForward(cellMap, normed, `${layer}.mlp`, activation),
      });
    }
    map = g.mapOf(g.norm(rows, `encoder.layer_norm.${stage}`, EPSILON), grid, width);
    stages.push({ map, grid, width });
  }
  return stages;
}

type Sizes = readonly number[];

/** A list in config.json with one number per stage. */
function ofStages({ config }: ImageGraph, key: string, otherwise: Sizes, stages: number): Sizes {
  const sizes = readSizes(config, key, otherwise);
  if (sizes.length === stages) return sizes;
  throw configError(
    `\`${key}\` in config.json has ${sizes.length} numbers, but \`depths\` has ${stages}. Use the config.json that belongs to the weights.`,
  );
}

const convolvedSide = (side: number, kernel: number, stride: number, padding: number): number =>
  Math.floor((side + 2 * padding - kernel) / stride) + 1;

const layerNames = (layer: string): LayerNames => ({
  ...patchLayerNames(layer, 'attention.self'),
  attentionNorm: `${layer}.layer_norm_1`,
  up: `${layer}.mlp.dense1`,
  down: `${layer}.mlp.dense2`,
  norm: `${layer}.layer_norm_2`,
});

/** The graph whose rows are the cells of a map. */
interface Cells {
  readonly g: ImageGraph;
  readonly grid: ImageSize;
  readonly width: number;
}

/** Attention of all cells to the cells of a map that a convolution has reduced. */
function attendToFewer(
  { g, grid, width }: Cells,
  normed: Value,
  layer: string,
  { heads, ratio }: { readonly heads: number; readonly ratio: number },
): Value {
  const names = layerNames(layer);
  const reduced = ratio === 1 ? { g, rows: normed } : reduce({ g, grid, width }, normed, layer, ratio);
  const [key, value] = [names.key, names.value].map((name) =>
    reduced.g.byText(g.linear(reduced.rows, name)),
  ) as [Value, Value];
  return g.attention([g.byText(g.linear(normed, names.query)), key, value], heads, width);
}

/** Replaces each square of cells with one cell. */
function reduce(
  { g, grid, width }: Cells,
  rows: Value,
  layer: string,
  ratio: number,
): { readonly g: ImageGraph; readonly rows: Value } {
  const self = `${layer}.attention.self`;
  const fewer = { height: Math.floor(grid.height / ratio), width: Math.floor(grid.width / ratio) };
  if (fewer.height === 0 || fewer.width === 0) {
    throw configError(
      `Images of ${sizeText(g.size)} pixels become a map of ${sizeText(grid)} cells, which is smaller than the number ${ratio} of \`sr_ratios\` in config.json. Use larger images in preprocessor_config.json.`,
    );
  }
  g.weights.get(`${self}.sr.weight`, [width, width, ratio, ratio]);
  const map = g.convolution(g.mapOf(rows, grid, width), `${self}.sr`, { stride: ratio });
  const normed = g.norm(g.cellsOf(map), `${self}.layer_norm`, EPSILON);
  return { g: g.withTokens(fewer.height * fewer.width), rows: g.byToken(normed, width) };
}

/** A feed-forward layer with a convolution over the neighbors of each cell. */
function mixFeedForward({ g, grid }: Cells, normed: Value, name: string, activation: string): Value {
  const convolution = `${name}.dwconv.dwconv`;
  const [width = 0] = g.weights.get(`${convolution}.weight`).shape;
  const wide = g.mapOf(g.linear(normed, `${name}.dense1`), grid, width);
  const mixed = g.cellsOf(g.convolution(wide, convolution, { stride: 1, padding: 1, groups: width }));
  return g.linear(g.activation(g.byToken(mixed, width), activation), `${name}.dense2`);
}
