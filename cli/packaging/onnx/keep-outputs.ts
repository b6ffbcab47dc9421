import type { GraphProto, NodeProto, ValueInfoProto } from '#gen/onnx/v1/onnx_pb.ts';
import { castNode } from '#core/onnx/attributes.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { nestedNodes } from './nested-nodes.ts';

/**
 * Reduces a graph to the required outputs, as float32. Other outputs are removed together with the
 * nodes that only they need, because ONNX Runtime would compute them in every run. A final Cast
 * converts other floating-point types to float32. Modifies the graph.
 */
export function keepOutputs(graph: GraphProto, names: readonly string[]): void {
  graph.output = names.map((name) => {
    const output = graph.output.find((candidate) => candidate.name === name);
    if (!output) throw new Error(`no output ${name}`);
    return output;
  });
  dropUnusedNodes(graph);
  dropRepeatedInitializers(graph);
  for (const output of graph.output) castToFloat32(graph, output);
}

/** Removes nodes and initializers on which no output depends. */
export function dropUnusedNodes(graph: GraphProto): void {
  const needed = new Set(graph.output.map(({ name }) => name));
  const kept: NodeProto[] = [];
  // Nodes are in topological order, so one pass from the end visits every use before its
  // definition.
  for (const node of graph.node.toReversed()) {
    if (!node.output.some((output) => needed.has(output))) continue;
    kept.push(node);
    for (const input of usedNames(node)) needed.add(input);
  }
  graph.node = kept.toReversed();
  graph.initializer = graph.initializer.filter((tensor) => needed.has(tensor.name));
}

/** Names that a node reads, including those in the subgraphs of an If or Loop. */
function usedNames(node: NodeProto): string[] {
  const subgraphs = node.attribute.flatMap((attribute) => [
    ...(attribute.g ? [attribute.g] : []),
    ...attribute.graphs,
  ]);
  return [
    ...node.input,
    ...subgraphs.flatMap((graph) => [
      ...graph.node.flatMap(usedNames),
      ...graph.output.map(({ name }) => name),
    ]),
  ];
}

function castToFloat32(graph: GraphProto, output: ValueInfoProto): void {
  const tensor = output.type?.tensorType;
  if (!tensor || tensor.elemType === FLOAT32) return;
  const narrow = `${output.name}_narrow`;
  for (const node of graph.node) {
    node.output = node.output.map((name) => (name === output.name ? narrow : name));
    node.input = node.input.map((name) => (name === output.name ? narrow : name));
  }
  graph.node.push(castNode(`${output.name}_to_float32`, narrow, output.name, FLOAT32));
  tensor.elemType = FLOAT32;
}

/**
 * Removes initializers from the branches and bodies of If, Loop and Scan if an earlier initializer
 * has the same name. If the weights are in a separate file, ONNX Runtime writes these initializers
 * twice, and then cannot load the file that it wrote. DeBERTa has such branches.
 */
function dropRepeatedInitializers(graph: GraphProto): void {
  for (const { attribute } of nestedNodes(graph)) {
    for (const { g, graphs } of attribute) {
      for (const inner of g ? [g, ...graphs] : graphs) {
        inner.initializer = [...new Map(inner.initializer.map((tensor) => [tensor.name, tensor])).values()];
      }
    }
  }
}
