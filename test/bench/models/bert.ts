import { float, GraphBuilder, int, ints } from './graph-builder.ts';
import { FLOAT32 } from './graph-builder.ts';
import type { ModelShape } from './shapes.ts';

interface ModelOutput {
  readonly name: string;
  readonly axes: readonly (string | number)[];
}

const EPSILON = 1e-12;
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
    const attended = attention(graph, scope, shape, hidden, mask);
    hidden = feedForward(graph, scope, shape, attended);
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

/** The outputs of the model. */
export const outputOf = ({ labels, hidden }: ModelShape): ModelOutput =>
  labels
    ? { name: 'logits', axes: ['batch_size', labels.length] }
    : { name: 'last_hidden_state', axes: ['batch_size', 'sequence_length', hidden] };

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

function attention(
  graph: GraphBuilder,
  layer: string,
  { hidden, heads }: ModelShape,
  input: string,
  mask: string,
): string {
  const scope = `${layer}/attention/self`;
  const size = hidden / heads;
  const batch = dimension(graph, scope, input, 0);
  const perHead = (name: string, perm: readonly number[]): string => {
    const values = dense(graph, `${scope}/${name}`, [hidden, hidden], input);
    const shape = concat(graph, scope, [batch, -1, heads, size]);
    const split = graph.op('Reshape', scope, [values, shape], int('allowzero', 0));
    return graph.op('Transpose', scope, [split], ints('perm', perm));
  };
  const queries = perHead('query', [0, 2, 1, 3]);
  const keys = perHead('key', [0, 2, 3, 1]);
  const values = perHead('value', [0, 2, 1, 3]);
  const scores = graph.op('MatMul', scope, [queries, keys]);
  const scaled = graph.op('Div', scope, [scores, graph.number(scope, Math.sqrt(size))]);
  const shares = graph.op('Softmax', scope, [graph.op('Add', scope, [scaled, mask])], int('axis', -1));
  const mixed = graph.op(
    'Transpose',
    scope,
    [graph.op('MatMul', scope, [shares, values])],
    ints('perm', [0, 2, 1, 3]),
  );
  const joined = concat(graph, scope, [
    dimension(graph, scope, mixed, 0),
    dimension(graph, scope, mixed, 1),
    hidden,
  ]);
  const context = graph.op('Reshape', scope, [mixed, joined], int('allowzero', 0));
  const out = `${layer}/attention/output`;
  const projected = dense(graph, `${out}/dense`, [hidden, hidden], context);
  return layerNorm(graph, out, hidden, graph.op('Add', out, [projected, input]));
}

function feedForward(
  graph: GraphBuilder,
  layer: string,
  { hidden, intermediate }: ModelShape,
  input: string,
): string {
  const wide = dense(graph, `${layer}/intermediate/dense`, [hidden, intermediate], input);
  const active = gelu(graph, `${layer}/intermediate/intermediate_act_fn`, wide);
  const narrow = dense(graph, `${layer}/output/dense`, [intermediate, hidden], active);
  const scope = `${layer}/output`;
  return layerNorm(graph, scope, hidden, graph.op('Add', scope, [narrow, input]));
}

/** x · (1 + erf(x / √2)) · ½, in the exporter's order. */
function gelu(graph: GraphBuilder, scope: string, input: string): string {
  const erf = graph.op('Erf', scope, [graph.op('Div', scope, [input, graph.number(scope, Math.SQRT2)])]);
  const share = graph.op('Add', scope, [erf, graph.number(scope, 1)]);
  const doubled = graph.op('Mul', scope, [input, share]);
  return graph.op('Mul', scope, [doubled, graph.number(scope, 0.5)]);
}

function dense(graph: GraphBuilder, scope: string, dims: readonly [number, number], input: string): string {
  const name = parameterName(scope);
  // The exporter folds the transpose into the weight and names the result with a number.
  const weight = graph.weight(`onnx::MatMul_${graph.nodes.length}`, dims, 'normal');
  const bias = graph.weight(`${name}.bias`, [dims[1]], 'zeros');
  return graph.op('Add', scope, [bias, graph.op('MatMul', scope, [input, weight])]);
}

function layerNorm(graph: GraphBuilder, scope: string, size: number, input: string): string {
  const name = `${parameterName(scope)}.LayerNorm`;
  const scale = graph.weight(`${name}.weight`, [size], 'ones');
  const bias = graph.weight(`${name}.bias`, [size], 'zeros');
  const attributes = [int('axis', -1), float('epsilon', EPSILON)];
  return graph.op('LayerNormalization', `${scope}/LayerNorm`, [input, scale, bias], ...attributes);
}

/** The size of an axis, as a scalar. */
function dimension(graph: GraphBuilder, scope: string, value: string, axis: number): string {
  const shape = graph.op('Shape', scope, [value]);
  return graph.op('Gather', scope, [shape, graph.wholeNumbers(scope, [axis], [])], int('axis', 0));
}

/** A shape composed of constant and computed sizes. */
function concat(graph: GraphBuilder, scope: string, sizes: readonly (number | string)[]): string {
  const parts = sizes.map((size) =>
    typeof size === 'number'
      ? graph.wholeNumbers(scope, [size])
      : graph.op('Unsqueeze', scope, [size, graph.wholeNumbers(scope, [0])]),
  );
  return graph.op('Concat', scope, parts, int('axis', 0));
}

const parameterName = (scope: string): string => scope.slice(1).replaceAll('/', '.');
