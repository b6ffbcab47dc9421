import { create } from '@bufbuild/protobuf';
import { type AttributeProto, AttributeProtoSchema } from '../../../runtime/gen/onnx/v1/onnx_pb.ts';

/** AttributeProto.AttributeType of onnx.proto. */
const FLOAT = 1;
const INT = 2;
const INTS = 7;

export const float = (name: string, f: number): AttributeProto =>
  create(AttributeProtoSchema, { name, f, type: FLOAT });

export const int = (name: string, i: number | bigint): AttributeProto =>
  create(AttributeProtoSchema, { name, i: BigInt(i), type: INT });

export const ints = (name: string, values: readonly number[]): AttributeProto =>
  create(AttributeProtoSchema, { name, ints: values.map(BigInt), type: INTS });
