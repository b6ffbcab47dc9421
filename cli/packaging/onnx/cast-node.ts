import { create } from '@bufbuild/protobuf';
import {
  AttributeProtoSchema,
  type NodeProto,
  NodeProtoSchema,
} from '../../../runtime/gen/onnx/v1/onnx_pb.ts';

/** AttributeProto.AttributeType.INT of onnx.proto. */
const ATTRIBUTE_INT = 2;

/** A node that converts the value `from` to the element type `type` and names the result `to`. */
export const castNode = (name: string, from: string, to: string, type: number): NodeProto =>
  create(NodeProtoSchema, {
    opType: 'Cast',
    name,
    input: [from],
    output: [to],
    attribute: [create(AttributeProtoSchema, { name: 'to', i: BigInt(type), type: ATTRIBUTE_INT })],
  });
