import { create } from '@bufbuild/protobuf';
import { type TensorProto, TensorProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { FLOAT32, INT64 } from './element-types.ts';

/** A constant of integers, as a list by default. */
export const integerConstant = (
  name: string,
  values: readonly number[],
  shape: readonly number[] = [values.length],
): TensorProto => constant(name, INT64, BigInt64Array.from(values, BigInt), shape);

/** A constant of float32 numbers, as a list by default. The result shares memory with `values`. */
export const floatConstant = (
  name: string,
  values: Float32Array,
  shape: readonly number[] = [values.length],
): TensorProto => constant(name, FLOAT32, values, shape);

const constant = (
  name: string,
  dataType: number,
  { buffer, byteOffset, byteLength }: BigInt64Array | Float32Array,
  shape: readonly number[],
): TensorProto =>
  create(TensorProtoSchema, {
    name,
    dataType,
    dims: shape.map(BigInt),
    rawData: new Uint8Array(buffer, byteOffset, byteLength),
  });
