import { create } from '@bufbuild/protobuf';
import { type NodeProto, NodeProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { int } from './attributes.ts';

/** A node that converts the value `from` to the element type `type` and names the result `to`. */
export const castNode = (name: string, from: string, to: string, type: number): NodeProto =>
  create(NodeProtoSchema, {
    opType: 'Cast',
    name,
    input: [from],
    output: [to],
    attribute: [int('to', type)],
  });
