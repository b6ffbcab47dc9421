import type { GraphProto, NodeProto } from '#gen/onnx/v1/onnx_pb.ts';
import { nestedNodes } from '../onnx/nested-nodes.ts';

/**
 * Gelu nodes that are the only reader of their input, by the input's name. The bias of a product and
 * such a node become BiasGelu.
 */
export function findActivations(graph: GraphProto): ReadonlyMap<string, NodeProto> {
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
