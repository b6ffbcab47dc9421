import { create } from '@bufbuild/protobuf';
import {
  type AttributeProto,
  AttributeProtoSchema,
  type NodeProto,
  NodeProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';

/** AttributeProto.AttributeType of onnx.proto. */
const FLOAT = 1;
const INT = 2;
const STRING = 3;
const INTS = 7;

export const float = (name: string, f: number): AttributeProto =>
  create(AttributeProtoSchema, { name, f, type: FLOAT });

export const int = (name: string, i: number | bigint): AttributeProto =>
  create(AttributeProtoSchema, { name, i: BigInt(i), type: INT });

export const text = (name: string, value: string): AttributeProto =>
  create(AttributeProtoSchema, { name, s: new TextEncoder().encode(value), type: STRING });

export const ints = (name: string, values: readonly number[]): AttributeProto =>
  create(AttributeProtoSchema, { name, ints: values.map(BigInt), type: INTS });

/** A numeric attribute of a node: a float or an integer. */
export function readNumber({ attribute }: NodeProto, wanted: string, otherwise: number): number {
  const found = attribute.find(({ name }) => name === wanted);
  if (!found) return otherwise;
  return found.type === FLOAT ? found.f : Number(found.i);
}

/** Creates a node that converts the value `from` to the element type `type`. The result is named `to`. */
export const castNode = (name: string, from: string, to: string, type: number): NodeProto =>
  create(NodeProtoSchema, {
    opType: 'Cast',
    name,
    input: [from],
    output: [to],
    attribute: [int('to', type)],
  });
