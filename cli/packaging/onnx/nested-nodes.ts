import type { GraphProto, NodeProto } from '#gen/onnx/v1/onnx_pb.ts';

/** All nodes of a graph, including those in the branches and bodies of If, Loop and Scan. */
export function* nestedNodes(graph: GraphProto): Generator<NodeProto> {
  for (const node of graph.node) {
    yield node;
    for (const { g, graphs } of node.attribute) {
      for (const inner of g ? [g, ...graphs] : graphs) yield* nestedNodes(inner);
    }
  }
}
