import type { GraphProto, NodeProto } from '#gen/onnx/v1/onnx_pb.ts';

/** Yields all nodes of a graph, including those in the branches and bodies of If, Loop and Scan. */
export function* nestedNodes(graph: GraphProto): Generator<NodeProto> {
  for (const node of graph.node) {
    yield node;
    for (const { g, graphs } of node.attribute) {
      for (const inner of g ? [g, ...graphs] : graphs) yield* nestedNodes(inner);
    }
  }
}

/**
 * Renames a value in all nodes that read or write it, including those in the branches and bodies of
 * If, Loop and Scan.
 */
export function renameValue(graph: GraphProto, from: string, to: string): void {
  const renamed = (name: string): string => (name === from ? to : name);
  for (const node of nestedNodes(graph)) {
    node.input = node.input.map(renamed);
    node.output = node.output.map(renamed);
    for (const { g, graphs } of node.attribute) {
      for (const inner of g ? [g, ...graphs] : graphs) {
        for (const output of inner.output) output.name = renamed(output.name);
      }
    }
  }
}
