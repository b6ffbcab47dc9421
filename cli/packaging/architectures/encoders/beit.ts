import type { Value } from '../graph-writer.ts';
import type { ImageGraph, ImageSize } from '../image-graph.ts';
import { type ImageHead, meanFrom, tokenAt } from '../image-heads.ts';
import { embedPatches, requireTrainedGrid } from '../patch-embeddings.ts';
import { towerLayers, towerSettings } from '../tower-layers.ts';
import { biasOfOffsets, offsetCount, offsetsOf } from '../window-bias.ts';
import { VIT_PATCHES, vitLayerNames } from './vit.ts';

const DEFAULTS = { epsilon: 1e-12, activation: 'gelu' };
const TABLE = 'relative_position_bias.relative_position_bias_table';

const poolsMean = ({ config }: ImageGraph): boolean => config.flag('use_mean_pooling', true);

/** BEiT: ViT with a scale after each sublayer, and with a bias for the offset of two patches. */
export function beit(graph: ImageGraph): Value {
  const { config } = graph;
  const settings = towerSettings(config, DEFAULTS);
  const isPlaced = config.flag('use_absolute_position_embeddings', false);
  const embedded = embedPatches(graph, {
    ...VIT_PATCHES,
    positions: isPlaced ? VIT_PATCHES.positions : undefined,
  });
  const { g, rows, grid } = embedded;
  const tableOf = config.flag('use_shared_relative_position_bias', false)
    ? () => `encoder.${TABLE}`
    : (at: number) => `encoder.layer.${at}.attention.attention.${TABLE}`;
  const isBiased = ['use_relative_position_bias', 'use_shared_relative_position_bias'].some((key) =>
    config.flag(key, false),
  );
  const isScaled = config.number('layer_scale_init_value', 0.1) > 0;
  if (isBiased) requireTrainedGrid(graph, embedded);
  const offsets = isBiased ? withFirstToken(grid) : [];
  const encoded = towerLayers(g, rows, vitLayerNames, settings, (at) => {
    const layer = `encoder.layer.${at}`;
    return {
      scales: isScaled ? [`${layer}.lambda_1`, `${layer}.lambda_2`] : undefined,
      bias: isBiased ? biasOf(g, tableOf(at), offsets, settings.heads) : undefined,
    };
  });
  return g.byText(poolsMean(g) ? encoded : g.norm(encoded, 'layernorm', settings.epsilon));
}

function biasOf(g: ImageGraph, table: string, offsets: number[][], heads: number): Value {
  // The first pair has the last row of the table.
  g.weights.get(table, [(offsets[0]?.[0] ?? 0) + 1, heads]);
  return g.writer.once(table, () => biasOfOffsets(g, table, offsets));
}

/** The offsets of patches, and the last three rows of the table for pairs with the first token. */
function withFirstToken(grid: ImageSize): number[][] {
  const count = offsetCount(grid);
  const [fromFirst, toFirst, both] = [count, count + 1, count + 2];
  const patches = offsetsOf(grid);
  return [[both, ...patches.map(() => fromFirst)], ...patches.map((row) => [toFirst, ...row])];
}

/** The mean of the patches with a norm, or the first token. */
export const beitVector: ImageHead = (g, states) =>
  poolsMean(g)
    ? g.norm(meanFrom(g, states, 1), 'pooler.layernorm', g.config.number('layer_norm_eps', DEFAULTS.epsilon))
    : tokenAt(0)(g, states);
