import { float, type GraphBuilder, int, ints } from './graph-builder.ts';
import type { ModelShape } from './shapes.ts';

/** The layers that texts and images share, with the nodes that PyTorch's exporter writes. */

type LayerShape = Pick<ModelShape, 'hidden' | 'heads' | 'intermediate'>;

const EPSILON = 1e-12;

/** Self-attention with its output projection. `mask` is added to the scores; images have none. */
export function attention(
  graph: GraphBuilder,
  layer: string,
  { hidden, heads }: LayerShape,
  input: string,
  mask?: string,
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
  const masked = mask === undefined ? scaled : graph.op('Add', scope, [scaled, mask]);
  const shares = graph.op('Softmax', scope, [masked], int('axis', -1));
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
  return dense(graph, `${layer}/attention/output/dense`, [hidden, hidden], context);
}

/** Two dense layers with an activation between them. */
export function feedForward(
  graph: GraphBuilder,
  layer: string,
  { hidden, intermediate }: LayerShape,
  input: string,
): string {
  const wide = dense(graph, `${layer}/intermediate/dense`, [hidden, intermediate], input);
  const active = gelu(graph, `${layer}/intermediate/intermediate_act_fn`, wide);
  return dense(graph, `${layer}/output/dense`, [intermediate, hidden], active);
}

/** x · (1 + erf(x / √2)) · ½, in the exporter's order. */
function gelu(graph: GraphBuilder, scope: string, input: string): string {
  const erf = graph.op('Erf', scope, [graph.op('Div', scope, [input, graph.number(scope, Math.SQRT2)])]);
  const share = graph.op('Add', scope, [erf, graph.number(scope, 1)]);
  const doubled = graph.op('Mul', scope, [input, share]);
  return graph.op('Mul', scope, [doubled, graph.number(scope, 0.5)]);
}

/** A matrix product with a bias. */
export function dense(
  graph: GraphBuilder,
  scope: string,
  dims: readonly [number, number],
  input: string,
): string {
  const name = parameterName(scope);
  // The exporter folds the transpose into the weight and names the result with a number.
  const weight = graph.weight(`onnx::MatMul_${graph.nodes.length}`, dims, 'normal');
  const bias = graph.weight(`${name}.bias`, [dims[1]], 'zeros');
  return graph.op('Add', scope, [bias, graph.op('MatMul', scope, [input, weight])]);
}

export function layerNorm(graph: GraphBuilder, scope: string, size: number, input: string): string {
  const name = `${parameterName(scope)}.LayerNorm`;
  const scale = graph.weight(`${name}.weight`, [size], 'ones');
  const bias = graph.weight(`${name}.bias`, [size], 'zeros');
  const attributes = [int('axis', -1), float('epsilon', EPSILON)];
  return graph.op('LayerNormalization', `${scope}/LayerNorm`, [input, scale, bias], ...attributes);
}

/** The size of an axis, as a scalar. */
export function dimension(graph: GraphBuilder, scope: string, value: string, axis: number): string {
  const shape = graph.op('Shape', scope, [value]);
  return graph.op('Gather', scope, [shape, graph.wholeNumbers(scope, [axis], [])], int('axis', 0));
}

/** A shape composed of constant and computed sizes. */
export function concat(graph: GraphBuilder, scope: string, sizes: readonly (number | string)[]): string {
  const parts = sizes.map((size) =>
    typeof size === 'number'
      ? graph.wholeNumbers(scope, [size])
      : graph.op('Unsqueeze', scope, [size, graph.wholeNumbers(scope, [0])]),
  );
  return graph.op('Concat', scope, parts, int('axis', 0));
}

const parameterName = (scope: string): string => scope.slice(1).replaceAll('/', '.');
