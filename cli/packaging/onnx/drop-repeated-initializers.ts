import type { GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import { nestedNodes } from './nested-nodes.ts';

/**
 * Drops initializers with the name of an earlier one from the branches and bodies of If, Loop and Scan. ONNX Runtime writes them
 * twice if the weights go to a separate file, and then refuses to load what it wrote. DeBERTa has such branches.
 */
export function dropRepeatedInitializers(graph: GraphProto): void {
  for (const { attribute } of nestedNodes(graph)) {
    for (const { g, graphs } of attribute) {
      for (const inner of g ? [g, ...graphs] : graphs) {
        inner.initializer = [...new Map(inner.initializer.map((tensor) => [tensor.name, tensor])).values()];
      }
    }
  }
}
