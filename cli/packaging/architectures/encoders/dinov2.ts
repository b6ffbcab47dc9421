import { int } from '#core/onnx/attributes.ts';
import type { Value } from '../graph-writer.ts';
import type { ImageGraph } from '../image-graph.ts';
import { type ImageHead, labelsOf, meanFrom, tokenAt } from '../image-heads.ts';
import { embedPatches, type PatchNames } from '../patch-embeddings.ts';
import { towerLayers, towerSettings } from '../tower-layers.ts';
import { VIT_PATCHES, vitLayerNames } from './vit.ts';

const REGISTERS = 'embeddings.register_tokens';

/**
 * DINOv2: ViT with a scale after each sublayer. Its image processor crops images to a smaller size
 * than those of training, for which the model's code interpolates the positions.
 */
export const dinov2 = (g: ImageGraph): Value =>
  encode(g, { ...VIT_PATCHES, patchSize: 14, resizing: 'bicubic' });

/** DINOv2 with tokens that have no position, and another interpolation. */
export const dinov2WithRegisters = (g: ImageGraph): Value =>
  encode(g, { ...VIT_PATCHES, others: [REGISTERS], resizing: 'antialiased' });

function encode(graph: ImageGraph, patches: PatchNames): Value {
  const { config } = graph;
  const settings = towerSettings(config, { epsilon: 1e-6, activation: 'gelu' });
  const isGated = config.flag('use_swiglu_ffn', false);
  const { g, rows } = embedPatches(graph, patches);
  const layerOf = (at: number): string => `encoder.layer.${at}`;
  const encoded = towerLayers(
    g,
    rows,
    (at) => ({
      ...vitLayerNames(at),
      attentionNorm: `${layerOf(at)}.norm1`,
      norm: `${layerOf(at)}.norm2`,
      up: `${layerOf(at)}.mlp.fc1`,
      down: `${layerOf(at)}.mlp.fc2`,
    }),
    settings,
    (at) => ({
      scales: [`${layerOf(at)}.layer_scale1.lambda1`, `${layerOf(at)}.layer_scale2.lambda1`],
      feedForward: isGated ? (inner) => gated(g, inner, `${layerOf(at)}.mlp`) : undefined,
    }),
  );
  return g.byText(g.norm(encoded, 'layernorm', settings.epsilon));
}

/** The feed-forward layer of the largest models. One matrix computes the gate and the values. */
function gated(g: ImageGraph, rows: Value, mlp: string): Value {
  const [gate = '', values = ''] = g.writer.split(g.linear(rows, `${mlp}.weights_in`), 2);
  return g.linear(g.multiply(g.activation(gate, 'silu'), values), `${mlp}.weights_out`);
}

/** Scores of the first token and the mean of the patches, next to each other. */
const labels = (registersOf: (g: ImageGraph) => number): ImageHead =>
  labelsOf((g, states) =>
    g.writer.op('Concat', [tokenAt(0)(g, states), meanFrom(g, states, 1 + registersOf(g))], int('axis', 1)),
  );

export const dinov2Labels = labels(() => 0);

export const dinov2WithRegistersLabels = labels(({ weights }) => weights.get(REGISTERS).shape[1] ?? 0);
