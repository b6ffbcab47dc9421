import { basename } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  type AttributeProto,
  GraphProtoSchema,
  ModelProtoSchema,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
  TensorProtoSchema,
  ValueInfoProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import { floatConstant, integerConstant } from '#core/onnx/constants.ts';
import { FLOAT32, INT64 } from '#core/onnx/element-types.ts';
import { int, ints } from '#core/onnx/attributes.ts';
import { STORED_TYPES, type StoredTensor, transpositionOf } from './stored-tensor.ts';

/** The name of a tensor in the graph: an input, a weight or a result. */
export type Value = string;

const OPSET = 20;
/** The IR version that belongs to this opset. */
const IR_VERSION = 9;
const EXTERNAL = 1;
/** ONNX Runtime's fused operators, each of which replaces several ONNX operators. */
const FUSED = 'com.microsoft';

/** An axis of an input or output: its name, or its size if this is fixed. */
export type Axis = string | number;

/** Element type and axes of an input. */
interface InputShape {
  readonly type: number;
  readonly axes: readonly Axis[];
}

const PER_TOKEN: InputShape = { type: INT64, axes: ['batch', 'length'] };

/** The parts of a graph, which several writers can add to. */
class GraphParts {
  readonly nodes: NodeProto[] = [];
  readonly initializers = new Map<string, TensorProto>();
  readonly inputs = new Map<string, InputShape>();
  readonly shared = new Map<string, Value>();
}

/** Collects the nodes and initializers of a graph. Weights stay in their files. */
export class GraphWriter {
  readonly #graph: GraphParts;
  /** The prefix of the names that this writer chooses for inputs, axes and weights. */
  readonly #prefix: string;

  constructor(graph = new GraphParts(), prefix = '') {
    this.#graph = graph;
    this.#prefix = prefix;
  }

  /** A writer for another encoder in the same graph, which has other inputs and weights. */
  part(prefix: string): GraphWriter {
    return new GraphWriter(this.#graph, this.#prefix + prefix);
  }

  /** An input. By default, it has token ids or masks: integers, one per token of each text. */
  input(name: string, { type, axes }: InputShape = PER_TOKEN): Value {
    const input = this.#prefix + name;
    this.#graph.inputs.set(input, { type, axes: axes.map((axis) => this.#prefix + axis) });
    return input;
  }

  /** Adds a node with an ONNX operator. An empty name stands for an omitted input. */
  op(opType: string, inputs: readonly Value[], ...attributes: AttributeProto[]): Value {
    return this.#add('', opType, inputs, attributes, 1)[0] ?? '';
  }

  /** Adds a node with an ONNX Runtime operator. */
  fused(opType: string, inputs: readonly Value[], ...attributes: AttributeProto[]): Value {
    return this.#add(FUSED, opType, inputs, attributes, 1)[0] ?? '';
  }

  /** Adds a node with an ONNX operator that has several results. */
  results(opType: string, inputs: readonly Value[], count: number, ...attributes: AttributeProto[]): Value[] {
    return this.#add('', opType, inputs, attributes, count);
  }

  /** Splits a value into equal parts along its last axis. */
  split(value: Value, parts: number): Value[] {
    return this.#add('', 'Split', [value], [int('axis', -1), int('num_outputs', parts)], parts);
  }

  /** A weight, as float32. */
  weight(ownName: string, tensor: StoredTensor): Value {
    const name = this.#prefix + ownName;
    const { file, type, shape, offset, length } = tensor;
    const { onnx } = STORED_TYPES[type];
    const transposition = transpositionOf(tensor);
    if (!this.#graph.initializers.has(name)) {
      this.#graph.initializers.set(
        name,
        create(TensorProtoSchema, {
          name,
          dims: (transposition?.storedShape ?? shape).map(BigInt),
          dataType: onnx,
          dataLocation: EXTERNAL,
          externalData: [
            { key: 'location', value: basename(file) },
            { key: 'offset', value: String(offset) },
            { key: 'length', value: String(length) },
          ],
        }),
      );
    }
    const value =
      onnx === FLOAT32
        ? name
        : this.once(`${name} as float32`, () => this.op('Cast', [name], int('to', FLOAT32)));
    return transposition
      ? this.once(`${name} transposed`, () => this.op('Transpose', [value], ints('perm', transposition.from)))
      : value;
  }

  /** A table of numbers that the build computes. */
  floats(values: Float32Array, shape: readonly number[]): Value {
    return this.#constant((name) => floatConstant(name, values, shape));
  }

  float(value: number): Value {
    return this.once(`float ${value}`, () => this.floats(Float32Array.of(value), []));
  }

  /** A constant of integers, as a list by default. */
  integers(values: readonly number[], shape: readonly number[] = [values.length]): Value {
    return this.once(`integers ${values.join()} ${shape.join()}`, () =>
      this.#constant((name) => integerConstant(name, values, shape)),
    );
  }

  integer(value: number): Value {
    return this.integers([value], []);
  }

  /** Creates a value only once, even if several layers use it. */
  once(key: string, make: () => Value): Value {
    const own = this.#prefix + key;
    const made = this.#graph.shared.get(own) ?? make();
    this.#graph.shared.set(own, made);
    return made;
  }

  /** Returns the ONNX file of the graph. */
  finish(output: Value, name: string, axes: readonly Axis[]): Uint8Array {
    const result = create(NodeProtoSchema, { opType: 'Identity', name, input: [output], output: [name] });
    const dimension = (axis: Axis) =>
      typeof axis === 'string' ? { dimParam: axis } : { dimValue: BigInt(axis) };
    const valueInfo = (value: string, elemType: number, dims: readonly Axis[]) =>
      create(ValueInfoProtoSchema, {
        name: value,
        type: { tensorType: { elemType, shape: { dim: dims.map(dimension) } } },
      });
    return toBinary(
      ModelProtoSchema,
      create(ModelProtoSchema, {
        irVersion: BigInt(IR_VERSION),
        producerName: 'encoderfile',
        opsetImport: [
          { domain: '', version: BigInt(OPSET) },
          { domain: FUSED, version: 1n },
        ],
        graph: create(GraphProtoSchema, {
          name: 'encoder',
          node: [...this.#graph.nodes, result],
          initializer: [...this.#graph.initializers.values()],
          input: [...this.#graph.inputs].map(([input, { type, axes: own }]) => valueInfo(input, type, own)),
          output: [valueInfo(name, FLOAT32, axes)],
        }),
      }),
    );
  }

  #constant(named: (name: string) => TensorProto): Value {
    const name = `constant_${this.#graph.initializers.size}`;
    this.#graph.initializers.set(name, named(name));
    return name;
  }

  #add(
    domain: string,
    opType: string,
    inputs: readonly Value[],
    attribute: AttributeProto[],
    outputs: number,
  ): Value[] {
    const name = `${opType}_${this.#graph.nodes.length}`;
    const output = Array.from({ length: outputs }, (_, at) => (outputs === 1 ? name : `${name}_${at}`));
    this.#graph.nodes.push(
      create(NodeProtoSchema, { domain, opType, name, input: [...inputs], output, attribute }),
    );
    return output;
  }
}
