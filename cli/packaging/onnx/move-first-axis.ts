import { create } from '@bufbuild/protobuf';
import { type GraphProto, NodeProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { ints } from './attributes.ts';
import { renameValue } from './rename-value.ts';
import { pushAll } from '#core/values/push-all.ts';

/** Transposes an output of four axes so that the first axis becomes the last one. Modifies the graph. */
export function moveFirstAxisToEnd(graph: GraphProto, output: string): void {
  const inner = `${output}_before_transpose`;
  renameValue(graph, output, inner);
  graph.node.push(
    create(NodeProtoSchema, {
      opType: 'Transpose',
      name: `${output}_transpose`,
      input: [inner],
      output: [output],
      attribute: [ints('perm', [1, 2, 3, 0])],
    }),
  );
  const dims = graph.output.find(({ name }) => name === output)?.type?.tensorType?.shape?.dim;
  if (dims) pushAll(dims, dims.splice(0, 1));
}
