import { create } from '@bufbuild/protobuf';
import {
  type AttributeProto,
  type GraphProto,
  type ModelProto,
  NodeProtoSchema,
  type TensorProto,
  ValueInfoProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import { floatConstant, integerConstant } from './constants.ts';
import { FLOAT32 } from './element-types.ts';
import { opsetOf } from './facts.ts';
import { int, ints } from './attributes.ts';

/** An output of a graph: its name and the names of its axes. */
interface GraphOutput {
  readonly name: string;
  readonly shape: readonly string[];
}

/** Appends nodes to the end of an existing graph. Modifies the graph. */
export class GraphAppender {
  readonly opset: number;
  readonly #graph: GraphProto;
  readonly #prefix: string;

  /** The names of new values begin with `prefix`. */
  constructor(model: ModelProto, graph: GraphProto, prefix: string) {
    this.opset = opsetOf(model);
    this.#graph = graph;
    this.#prefix = prefix;
  }

  /** Adds a node with one result, and returns its name. */
  op(opType: string, inputs: readonly string[], ...attributes: AttributeProto[]): string {
    return this.results(opType, inputs, 1, ...attributes)[0] ?? '';
  }

  /** Adds a node with several results. */
  results(
    opType: string,
    inputs: readonly string[],
    count: number,
    ...attribute: AttributeProto[]
  ): string[] {
    const name = this.#name(opType);
    const output = Array.from({ length: count }, (_, at) => (at === 0 ? name : `${name}_${at}`));
    this.#graph.node.push(create(NodeProtoSchema, { opType, name, input: [...inputs], output, attribute }));
    return output;
  }

  float(value: number): string {
    return this.#constant((name) => floatConstant(name, Float32Array.of(value), []));
  }

  floats(values: Float32Array): string {
    return this.#constant((name) => floatConstant(name, values));
  }

  /** Reduces one axis and drops it from the result. */
  reduce(opType: string, value: string, axis: number): string {
    const keepdims = int('keepdims', 0);
    return this.opset < 18
      ? this.op(opType, [value], ints('axes', [axis]), keepdims)
      : this.op(opType, [value, this.integers([axis])], keepdims);
  }

  integers(values: readonly number[], shape: readonly number[] = [values.length]): string {
    return this.#constant((name) => integerConstant(name, values, shape));
  }

  /** Makes a float32 value the graph's only output. */
  finish(value: string, { name, shape }: GraphOutput): void {
    const node = { opType: 'Identity', name, input: [value], output: [name] };
    this.#graph.node.push(create(NodeProtoSchema, node));
    const dim = shape.map((dimParam) => ({ dimParam }));
    const tensorType = { elemType: FLOAT32, shape: { dim } };
    this.#graph.output = [create(ValueInfoProtoSchema, { name, type: { tensorType } })];
  }

  #constant(named: (name: string) => TensorProto): string {
    const name = this.#name('constant');
    this.#graph.initializer.push(named(name));
    return name;
  }

  #name(kind: string): string {
    return `${this.#prefix}_${kind}_${this.#graph.node.length + this.#graph.initializer.length}`;
  }
}
