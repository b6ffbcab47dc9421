import type { Value } from '../graph-writer.ts';
import type { ImageGraph } from '../image-graph.ts';
import { type ImageHead, labelsOf, tokenAt } from '../image-heads.ts';
import type { LayerNames } from '../layer-names.ts';
import { embedPatches, type PatchNames } from '../patch-embeddings.ts';
import { towerLayers, towerSettings } from '../tower-layers.ts';

export const VIT_PATCHES: PatchNames = {
  convolution: 'embeddings.patch_embeddings.projection',
  first: ['embeddings.cls_token'],
  positions: 'embeddings.position_embeddings',
  patchSize: 16,
};

/** The names of ViT and of the models derived from it. */
export const vitLayerNames = (at: number): LayerNames =>
  patchLayerNames(`encoder.layer.${at}`, 'attention.attention');

/** The names of a layer of ViT, and of other models whose attention has another name. */
export function patchLayerNames(layer: string, attention: string): LayerNames {
  const self = `${layer}.${attention}`;
  return {
    query: `${self}.query`,
    key: `${self}.key`,
    value: `${self}.value`,
    attended: `${layer}.attention.output.dense`,
    attentionNorm: `${layer}.layernorm_before`,
    up: `${layer}.intermediate.dense`,
    down: `${layer}.output.dense`,
    norm: `${layer}.layernorm_after`,
  };
}

/** ViT. */
export const vit = (g: ImageGraph): Value => encodePatches(g, VIT_PATCHES);

/** DeiT: ViT with a second token, which was trained to imitate another model. */
export const deit = (g: ImageGraph): Value =>
  encodePatches(g, { ...VIT_PATCHES, first: ['embeddings.cls_token', 'embeddings.distillation_token'] });

function encodePatches(graph: ImageGraph, patches: PatchNames): Value {
  const settings = towerSettings(graph.config, { epsilon: 1e-12, activation: 'gelu' });
  const { g, rows } = embedPatches(graph, patches);
  const encoded = towerLayers(g, rows, vitLayerNames, settings);
  return g.byText(g.norm(encoded, 'layernorm', settings.epsilon));
}

/** Scores of the first token; in models with a second label layer, the mean of both tokens' scores. */
export const deitLabels: ImageHead = (g, states) => {
  if (!g.hasWeight('distillation_classifier.weight')) return labelsOf(tokenAt(0))(g, states);
  const sum = g.add(
    labelsOf(tokenAt(0), 'cls_classifier')(g, states),
    labelsOf(tokenAt(1), 'distillation_classifier')(g, states),
  );
  return g.multiply(sum, g.writer.float(0.5));
};
