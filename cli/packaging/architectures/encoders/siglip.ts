import { int } from '#core/onnx/attributes.ts';
import { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { type ImageHead, labelsOf, meanFrom } from '../image-heads.ts';
import type { ImageGraph } from '../image-graph.ts';
import { embedPatches } from '../patch-embeddings.ts';
import { towerLayers, towerSettings } from '../tower-layers.ts';
import { clipLayerNames, embedWords } from './clip.ts';

const DEFAULTS = { epsilon: 1e-6, activation: 'gelu_pytorch_tanh' };

/** SigLIP's text tower. */
export function siglipText(g: EncoderGraph): Value {
  const settings = towerSettings(g.config, DEFAULTS);
  const encoded = towerLayers(g, embedWords(g, settings.width), clipLayerNames, settings);
  return g.norm(encoded, 'final_layer_norm', settings.epsilon);
}

/**
 * The vector of the last token after a dense layer. The model was trained with texts that are filled
 * to the maximum length, and all tokens attend to padding. The graph fills the texts itself.
 */
export function siglipTextVector(g: EncoderGraph, padId: number): Value {
  const filled = new FilledGraph(g, padId, g.config.size('max_position_embeddings', 64));
  const states = filled.byText(siglipText(filled));
  return g.linear(g.writer.op('Gather', [states, g.writer.integer(-1)], int('axis', 1)), 'head');
}

/** A graph in which all texts have the same length, and padding counts as text. */
class FilledGraph extends EncoderGraph {
  readonly #padId: number;
  readonly #length: number;
  override readonly hasPadding = false;

  constructor({ weights, config, writer }: EncoderGraph, padId: number, length: number) {
    super(weights, config, writer);
    this.#padId = padId;
    this.#length = length;
  }

  override get inputIds(): Value {
    const { writer } = this;
    return writer.once('filled ids', () => {
      const ids = super.inputIds;
      const own = writer.op('Shape', [ids], int('start', 1), int('end', 2));
      const missing = writer.op('Sub', [writer.integers([this.#length]), own]);
      // A negative number would cut off tokens.
      const after = writer.op('Max', [missing, writer.integers([0])]);
      const pads = writer.op('Concat', [writer.integers([0, 0, 0]), after], int('axis', 0));
      return writer.op('Pad', [ids, pads, writer.integer(this.#padId)]);
    });
  }
}

/** SigLIP's vision tower. */
export function siglipVision(graph: ImageGraph): Value {
  const settings = towerSettings(graph.config, DEFAULTS);
  const { g, rows } = embedPatches(graph, {
    convolution: 'embeddings.patch_embedding',
    first: [],
    positions: 'embeddings.position_embedding.weight',
    patchSize: 16,
  });
  return g.byText(g.norm(towerLayers(g, rows, clipLayerNames, settings), 'post_layernorm', settings.epsilon));
}

/** Attention of one learned vector to all patches, and a feed-forward layer. */
export const siglipImageVector: ImageHead = (graph, states) => {
  const { writer } = graph;
  const { heads, width, epsilon, activation } = towerSettings(graph.config, DEFAULTS);
  const name = 'head.attention.in_proj';
  const parts = (end: string): Value[] =>
    writer.results('Split', [graph.weight(`${name}_${end}`)], 3, int('axis', 0), int('num_outputs', 3));
  const [weights, biases] = [parts('weight'), parts('bias')];
  const projected = (rows: Value, at: number): Value =>
    writer.op('Gemm', [rows, weights[at] ?? '', biases[at] ?? ''], int('transB', 1));
  const probe = projected(graph.byToken(graph.weight('head.probe'), width), 0);
  const query = graph.forEachImage(writer.op('Reshape', [probe, writer.integers([1, 1, width])]));
  const rows = graph.byToken(states, width);
  const ofPatches = (at: number): Value =>
    writer.op('Reshape', [projected(rows, at), writer.op('Shape', [states])]);
  const attended = graph.attention([query, ofPatches(1), ofPatches(2)], heads, width);
  const pooled = graph.linear(attended, 'head.attention.out_proj');
  const inner = graph.activation(
    graph.linear(graph.norm(pooled, 'head.layernorm', epsilon), 'head.mlp.fc1'),
    activation,
  );
  return graph.add(pooled, graph.linear(inner, 'head.mlp.fc2'));
};

/** Scores of the mean of the patches. */
export const siglipLabels: ImageHead = labelsOf((g, states) => meanFrom(g, states, 0));
