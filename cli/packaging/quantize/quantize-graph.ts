import { create } from '@bufbuild/protobuf';
import {
  type GraphProto,
  type ModelProto,
  type NodeProto,
  NodeProtoSchema,
  OperatorSetIdProtoSchema,
  type TensorProto,
} from '#gen/onnx/v1/onnx_pb.ts';
import { castNode } from '../onnx/attributes.ts';
import { FLOAT32 } from '../onnx/element-types.ts';
import { opsetOf, isRowLookup } from '../onnx/facts.ts';
import { nestedNodes } from '../onnx/nested-nodes.ts';
import type { MatMulGroup } from './find-matmuls.ts';
import { FUSED, MatMulNodes, type Scaling } from './matmul-nodes.ts';
import type { IntegerTensor, RoundedGroup } from './round-group.ts';

/** How a group of products is computed with integers. */
export interface QuantizedGroup {
  /** The products as the graph has them, by the names of their results. */
  readonly group: MatMulGroup;
  readonly rounded: RoundedGroup;
  readonly scaling: Scaling;
}

/** Replaces products and lookups by those of integers. Modifies the graph of the model. */
export function quantizeGraph(
  model: ModelProto,
  groups: readonly QuantizedGroup[],
  tables: ReadonlyMap<string, IntegerTensor>,
): void {
  const { graph } = model;
  if (!graph) return;
  const added = new Map<string, TensorProto>();
  const nodes = new MatMulNodes(opsetOf(model), added);
  const quantized = new Map(
    groups.flatMap(({ group, rounded, scaling }) =>
      group.matmuls.map((matmul) => [matmul.result, { matmul, rounded, scaling }] as const),
    ),
  );
  const activations = findActivations(graph);
  const fused = new Set<NodeProto>();
  graph.node = graph.node.flatMap((node) => {
    const found = quantized.get(node.output[0] ?? '');
    if (found) {
      const { matmul, rounded, scaling } = found;
      const gelu =
        scaling.kind === 'token' && matmul.bias !== undefined ? activations.get(matmul.result) : undefined;
      if (gelu) fused.add(gelu);
      return nodes.write(matmul, rounded, scaling, gelu?.output[0]);
    }
    if (fused.has(node)) return [];
    const table = isRowLookup(node) ? tables.get(node.input[0] ?? '') : undefined;
    return table ? lookUp(node, table, added) : [node];
  });
  // The operators of ONNX Runtime, if the graph does not use them yet.
  if (!model.opsetImport.some(({ domain }) => domain === FUSED))
    model.opsetImport.push(create(OperatorSetIdProtoSchema, { domain: FUSED, version: 1n }));
  const used = new Set([...nestedNodes(graph)].flatMap(({ input }) => input));
  graph.initializer = [...graph.initializer.filter(({ name }) => used.has(name)), ...added.values()];
  graph.valueInfo = [];
}

/** The Gelu that is the only reader of a value, by the name of the value. */
function findActivations(graph: GraphProto): ReadonlyMap<string, NodeProto> {
  const readers = new Map<string, NodeProto[]>();
  for (const node of nestedNodes(graph))
    for (const name of node.input) readers.set(name, [...(readers.get(name) ?? []), node]);
  return new Map(
    [...readers].flatMap(([name, [node, ...others]]) =>
      node && others.length === 0 && isExactGelu(node) ? [[name, node] as const] : [],
    ),
  );
}

const isExactGelu = ({ opType, attribute }: NodeProto): boolean =>
  opType === 'Gelu' &&
  attribute.every(({ name, s }) => name !== 'approximate' || new TextDecoder().decode(s) !== 'tanh');

/** Looks up rows of integers, each with a scale of its own, and converts those that were found. */
function lookUp(
  { input: [, ids = ''], output: [result = ''], attribute }: NodeProto,
  { integers, scales }: IntegerTensor,
  added: Map<string, TensorProto>,
): NodeProto[] {
  for (const tensor of [integers, scales]) added.set(tensor.name, tensor);
  const [row, scale, float] = [`${result}_row`, `${result}_scale`, `${result}_float`];
  const gather = (from: string, to: string): NodeProto =>
    create(NodeProtoSchema, { opType: 'Gather', name: to, input: [from, ids], output: [to], attribute });
  return [
    gather(integers.name, row),
    gather(scales.name, scale),
    castNode(float, row, float, FLOAT32),
    create(NodeProtoSchema, { opType: 'Mul', name: result, input: [float, scale], output: [result] }),
  ];
}
