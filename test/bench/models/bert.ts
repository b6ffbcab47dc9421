import { FLOAT32, GraphBuilder, INT64, int } from './graph-builder.ts';
import { attention, dense, dimension, feedForward, layerNorm } from './layers.ts';
import type { ModelShape } from './shapes.ts';
import type { GraphValue } from './write-model.ts';

const LOWEST_FLOAT32 = -3.402_823_466_385_288_6e38;

/**
 * A BERT encoder with the same nodes as PyTorch's exporter writes (opset 17, attention in single operators), so that ONNX Runtime's
 * optimizer finds the same patterns as in real models.
 */
export function bertGraph(shape: ModelShape): GraphBuilder {
  const graph = new GraphBuilder();
  const mask = additiveMask(graph);
  let hidden = embeddings(graph, shape);
  for (let layer = 0; layer < shape.layers; layer += 1) {
    const scope = `/encoder/layer.${layer}`;
    const projected = attention(graph, scope, shape, hidden, mask);
    const out = `${scope}/attention/output`;
    const attended = layerNorm(graph, out, shape.hidden, graph.op('Add', out, [projected, hidden]));
    const narrow = feedForward(graph, scope, shape, attended);
    const end = `${scope}/output`;
    hidden = layerNorm(graph, end, shape.hidden, graph.op('Add', end, [narrow, attended]));
  }
  if (shape.labels) classify(graph, shape.hidden, shape.labels.length, hidden);
  const last = graph.nodes.at(-1);
  if (last) last.output = [outputOf(shape).name];
  return graph;
}

function embeddings(graph: GraphBuilder, { hidden, vocabulary, positions }: ModelShape): string {
  const scope = '/embeddings';
  const length = dimension(graph, scope, 'input_ids', 1);
  const table = Array.from({ length: positions }, (_, at) => at);
  const slice = [[0], undefined, [1], [1]].map((values) =>
    values
      ? graph.wholeNumbers(scope, values)
      : graph.op('Unsqueeze', scope, [length, graph.wholeNumbers(scope, [0])]),
  );
  const ids = graph.op('Slice', scope, [graph.wholeNumbers(scope, table, [1, positions]), ...slice]);
  const lookUp = (name: string, rows: number, index: string): string =>
    graph.op('Gather', `${scope}/${name}`, [
      graph.weight(`embeddings.${name}.weight`, [rows, hidden], 'normal'),
      index,
    ]);
  const words = lookUp('word_embeddings', vocabulary, 'input_ids');
  const types = lookUp('token_type_embeddings', 2, 'token_type_ids');
  const sum = graph.op('Add', scope, [words, types]);
  const places = lookUp('position_embeddings', positions, ids);
  return layerNorm(graph, scope, hidden, graph.op('Add', scope, [sum, places]));
}

/** The inputs of the model. */
export const BERT_INPUTS: readonly GraphValue[] = ['input_ids', 'attention_mask', 'token_type_ids'].map(
  (name) => ({ name, type: INT64, axes: ['batch_size', 'sequence_length'] }),
);

/** The output of the model. */
export const outputOf = ({ labels, hidden }: ModelShape): GraphValue =>
  labels
    ? { name: 'logits', type: FLOAT32, axes: ['batch_size', labels.length] }
    : { name: 'last_hidden_state', type: FLOAT32, axes: ['batch_size', 'sequence_length', hidden] };

/** Pooled from the first token. */
function classify(graph: GraphBuilder, hidden: number, labels: number, input: string): void {
  const first = graph.op(
    'Gather',
    '/pooler',
    [input, graph.wholeNumbers('/pooler', [0], [])],
    int('axis', 1),
  );
  const pooled = graph.op('Tanh', '/pooler', [dense(graph, '/pooler/dense', [hidden, hidden], first)]);
  dense(graph, '/classifier', [hidden, labels], pooled);
}

/** 0 for tokens, the lowest float for padding: added to attention scores. */
function additiveMask(graph: GraphBuilder): string {
  const rows = graph.op('Unsqueeze', '', ['attention_mask', graph.wholeNumbers('', [1])]);
  const wide = graph.op('Unsqueeze', '', [rows, graph.wholeNumbers('', [2])]);
  const mask = graph.op('Cast', '', [wide], int('to', FLOAT32));
  const padding = graph.op('Sub', '', [graph.number('', 1), mask]);
  return graph.op('Mul', '', [padding, graph.number('', LOWEST_FLOAT32)]);
}
