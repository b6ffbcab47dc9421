import { int } from '#core/onnx/attributes.ts';
import { INT64 } from '#core/onnx/element-types.ts';
import { addPositions, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { type ImageHead, labelsOf, meanFrom, tokenAt } from '../image-heads.ts';
import type { ImageGraph } from '../image-graph.ts';
import type { LayerNames } from '../layer-names.ts';
import { embedPatches } from '../patch-embeddings.ts';
import { towerLayers, towerSettings } from '../tower-layers.ts';

const DEFAULTS = { epsilon: 1e-5, activation: 'quick_gelu' };

/** The names of CLIP's layers, which both towers use. */
export function clipLayerNames(at: number): LayerNames {
  const layer = `encoder.layers.${at}`;
  return {
    query: `${layer}.self_attn.q_proj`,
    key: `${layer}.self_attn.k_proj`,
    value: `${layer}.self_attn.v_proj`,
    attended: `${layer}.self_attn.out_proj`,
    attentionNorm: `${layer}.layer_norm1`,
    up: `${layer}.mlp.fc1`,
    down: `${layer}.mlp.fc2`,
    norm: `${layer}.layer_norm2`,
  };
}

/** Words and positions of the text tower, one row per token. */
export function embedWords(g: EncoderGraph, width: number): Value {
  const words = wordEmbeddings(g, 'embeddings.token_embedding');
  return g.byToken(addPositions(g, words, 'embeddings.position_embedding'), width);
}

/** CLIP's text tower, in which tokens attend to earlier tokens. */
export function clipText(g: EncoderGraph): Value {
  const settings = towerSettings(g.config, { ...DEFAULTS, width: 512, heads: 8 });
  const rows = embedWords(g, settings.width);
  const encoded = towerLayers(g, rows, clipLayerNames, settings, () => ({ isCausal: true }));
  return g.norm(encoded, 'final_layer_norm', settings.epsilon);
}

/** The id in configs that were written before transformers had the right one. */
const OLD_END = 2;

/** The vector of each text's first end token, which is the highest id of the vocabulary, after the projection. */
export function clipTextVector(g: EncoderGraph): Value {
  const { writer, config } = g;
  const end = config.number('eos_token_id', 49_407);
  const isEnd = writer.op('Cast', [writer.op('Equal', [g.inputIds, writer.integer(end)])], int('to', INT64));
  const marks = end === OLD_END ? g.inputIds : isEnd;
  const position = writer.op('ArgMax', [marks], int('axis', 1), int('keepdims', 1));
  const pooled = writer.op('GatherND', [g.byText(clipText(g)), position], int('batch_dims', 1));
  return projected(g, pooled, 'text_projection');
}

/** CLIP's vision tower. As in its code, the last norm is not part of the hidden states. */
export function clipVision(graph: ImageGraph): Value {
  const settings = towerSettings(graph.config, DEFAULTS);
  const { g, rows } = embedPatches(graph, {
    convolution: 'embeddings.patch_embedding',
    first: ['embeddings.class_embedding'],
    positions: 'embeddings.position_embedding.weight',
    patchSize: 32,
  });
  // The name is misspelled in all files.
  const normed = g.norm(rows, 'pre_layrnorm', settings.epsilon);
  return g.byText(towerLayers(g, normed, clipLayerNames, settings));
}

/** The first token after the last norm and the projection. */
export const clipImageVector: ImageHead = (g, states) => {
  const { epsilon } = towerSettings(g.config, DEFAULTS);
  return projected(g, g.norm(tokenAt(0)(g, states), 'post_layernorm', epsilon), 'visual_projection');
};

/** Towers that were saved alone can lack the projection. */
const projected = (g: EncoderGraph, vector: Value, name: string): Value =>
  g.hasWeight(`${name}.weight`) ? g.linear(vector, name) : vector;

/** Scores of the mean of the patches. */
export const clipLabels: ImageHead = labelsOf((g, states) => meanFrom(g, states, 1));
