import { create } from '@bufbuild/protobuf';
import {
  type AttributeProto,
  AttributeProtoSchema,
  type NodeProto,
  NodeProtoSchema,
  TensorProtoSchema,
} from '../../../runtime/gen/onnx/v1/onnx_pb.ts';

/** A weight that is generated only when it is written, one weight at a time. */
export interface Weight {
  readonly name: string;
  readonly dims: readonly number[];
  readonly values: 'normal' | 'ones' | 'zeros';
}

/** Numbers of element types and attribute types in onnx.proto. */
export const FLOAT32 = 1;
export const INT64 = 7;
const ATTRIBUTE = { float: 1, int: 2, tensor: 4, ints: 7 } as const;

export const int = (name: string, value: number): AttributeProto =>
  create(AttributeProtoSchema, { name, i: BigInt(value), type: ATTRIBUTE.int });
export const ints = (name: string, values: readonly number[]): AttributeProto =>
  create(AttributeProtoSchema, { name, ints: values.map(BigInt), type: ATTRIBUTE.ints });
export const float = (name: string, value: number): AttributeProto =>
  create(AttributeProtoSchema, { name, f: value, type: ATTRIBUTE.float });

/** Collects nodes in execution order, with the names of PyTorch's exporter: /scope/Op, /scope/Op_1 ... */
export class GraphBuilder {
  readonly nodes: NodeProto[] = [];
  readonly weights: Weight[] = [];
  readonly #uses = new Map<string, number>();

  /** Adds a node and returns the name of its output. */
  op(opType: string, scope: string, inputs: readonly string[], ...attribute: AttributeProto[]): string {
    const name = this.#unique(`${scope}/${opType}`);
    const output = `${name}_output_0`;
    this.nodes.push(
      create(NodeProtoSchema, { opType, name, input: [...inputs], output: [output], attribute }),
    );
    return output;
  }

  /** Integers as a constant of the given shape: `[]` for a scalar. */
  wholeNumbers(scope: string, values: readonly number[], dims: readonly number[] = [values.length]): string {
    return this.#constant(scope, INT64, dims, new BigInt64Array(values.map(BigInt)));
  }

  number(scope: string, value: number): string {
    return this.#constant(scope, FLOAT32, [], new Float32Array([value]));
  }

  weight(name: string, dims: readonly number[], values: Weight['values']): string {
    this.weights.push({ name, dims, values });
    return name;
  }

  #constant(
    scope: string,
    dataType: number,
    dims: readonly number[],
    data: BigInt64Array | Float32Array,
  ): string {
    const t = create(TensorProtoSchema, {
      dataType,
      dims: dims.map(BigInt),
      rawData: new Uint8Array(data.buffer),
    });
    return this.op(
      'Constant',
      scope,
      [],
      create(AttributeProtoSchema, { name: 'value', t, type: ATTRIBUTE.tensor }),
    );
  }

  #unique(name: string): string {
    const used = this.#uses.get(name) ?? 0;
    this.#uses.set(name, used + 1);
    return used === 0 ? name : `${name}_${used}`;
  }
}
