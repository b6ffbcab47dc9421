import { create } from '@bufbuild/protobuf';
import { type AttributeProto, AttributeProtoSchema } from '../../../runtime/gen/onnx/v1/onnx_pb.ts';

/** AttributeProto.AttributeType.INT of onnx.proto. */
const ATTRIBUTE_INT = 2;

/** An attribute of a node with an integer as its value. */
export const intAttribute = (name: string, value: bigint): AttributeProto =>
  create(AttributeProtoSchema, { name, i: value, type: ATTRIBUTE_INT });
