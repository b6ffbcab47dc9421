import { create } from '@bufbuild/protobuf';
import {
  type GraphProto,
  type NodeProto,
  NodeProtoSchema,
  type ValueInfoProto,
} from '#gen/onnx/v1/onnx_pb.ts';
import { ints } from '#core/onnx/attributes.ts';
import { axesOf } from './match-inputs.ts';
import { renameValue } from './nested-nodes.ts';

/** Axes of channels-last images in the order of channels-first images, and the reverse. */
const TO_FIRST = [0, 3, 1, 2];
const TO_LAST = [0, 2, 3, 1];

/**
 * Changes a graph whose images have the shape [batch, height, width, channels], as TensorFlow's exports do, so that it reads
 * [batch, channels, height, width], as all images are prepared. Such graphs usually transpose their input before the first
 * convolution; this node is removed instead of adding another one. Modifies the graph.
 */
export function readChannelsFirst(graph: GraphProto, input: ValueInfoProto, channels: number): void {
  const [, second, , last] = axesOf(input);
  const shape = input.type?.tensorType?.shape;
  if (!shape || second === channels || last !== channels) return;
  const { dim } = shape;
  shape.dim = TO_FIRST.flatMap((axis) => dim[axis] ?? []);
  const ownName = `${input.name}_channels_last`;
  renameValue(graph, input.name, ownName);
  for (const node of graph.node) {
    const [output] = node.output;
    if (node.input[0] !== ownName || !isTranspose(node, TO_FIRST) || output === undefined) continue;
    node.output = [`${output}_unused`];
    renameValue(graph, output, input.name);
  }
  // If no node reads it, it is removed with the others that no output needs.
  const transpose = { opType: 'Transpose', name: ownName, input: [input.name], output: [ownName] };
  graph.node.unshift(create(NodeProtoSchema, { ...transpose, attribute: [ints('perm', TO_LAST)] }));
}

function isTranspose({ opType, attribute }: NodeProto, axes: readonly number[]): boolean {
  const order = attribute.find(({ name }) => name === 'perm')?.ints.map(Number);
  return opType === 'Transpose' && order?.join() === axes.join();
}
