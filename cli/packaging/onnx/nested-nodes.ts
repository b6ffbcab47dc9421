import type { GraphProto, NodeProto } from '#gen/onnx/v1/onnx_pb.ts';

/** Yields a graph, and the branches and bodies of its If, Loop and Scan nodes. */
export function* nestedGraphs(graph: GraphProto): Generator<GraphProto> {
  yield graph;
  for (const { attribute } of graph.node) {
    for (const { g, graphs } of attribute) {
      for (const inner of g ? [g, ...graphs] : graphs) yield* nestedGraphs(inner);
    }
  }
}

/** Yields all nodes of a graph, including those in the branches and bodies of If, Loop and Scan. */
export function* nestedNodes(graph: GraphProto): Generator<NodeProto> {
  for (const { node } of nestedGraphs(graph)) yield* node;
}

/**
 * Renames a value in all nodes that read or write it, including those in the branches and bodies of
 * If, Loop and Scan.
 */
export function renameValue(graph: GraphProto, from: string, to: string): void {
  const renamed = (name: string): string => (name === from ? to : name);
  for (const inner of nestedGraphs(graph)) {
    for (const node of inner.node) {
      node.input = node.input.map(renamed);
      node.output = node.output.map(renamed);
    }
    if (inner !== graph) for (const output of inner.output) output.name = renamed(output.name);
  }
}
