import { create } from '@bufbuild/protobuf';
import {
  type GraphProto,
  type NodeProto,
  NodeProtoSchema,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import type { Activation } from '#contract/sentence.ts';
import { floatConstant } from '#core/onnx/constants.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { renameValue } from './nested-nodes.ts';

/** A layer that is applied to each token vector. */
export interface ProjectionLayer {
  readonly inputs: number;
  readonly outputs: number;
  /** The matrix, outputs x inputs. */
  readonly matrix: Float32Array;
  readonly bias: Float32Array | undefined;
  readonly activation: Activation;
  /** A residual that is added to the result: the layer's input, or the input multiplied by another matrix. */
  readonly residual: 'input' | Float32Array | undefined;
}

/**
 * Whether a graph returns vectors that are already projected, judging by the size of its output, or
 * by the output's name if the size is ambiguous.
 */
export function isProjected(output: ValueInfoProto, layers: readonly ProjectionLayer[]): boolean {
  const size = output.type?.tensorType?.shape?.dim.at(-1)?.dimValue ?? 0n;
  const width = size > 0n ? Number(size) : undefined;
  const [first, last] = [layers[0]?.inputs, layers.at(-1)?.outputs];
  if (width !== undefined && first !== last && (width === first || width === last)) return width === last;
  return !HIDDEN_STATES.has(output.name);
}

/** Names that exporters give to hidden states. */
export const HIDDEN_STATES: ReadonlySet<string> = new Set(['last_hidden_state', 'token_embeddings']);

/**
 * Appends layers to a graph's only output, which must be float32. The output keeps its name.
 * Modifies the graph.
 */
export function appendProjection(graph: GraphProto, layers: readonly ProjectionLayer[]): void {
  const [output] = graph.output;
  const tensor = output?.type?.tensorType;
  if (!output || !tensor) throw new Error('no output');
  const { name } = output;
  const writer = new LayerWriter(graph, name);
  renameValue(graph, name, writer.hidden);
  const projected = layers.reduce((value, layer) => writer.add(value, layer), writer.hidden);
  writer.op('Identity', [projected], name);
  output.name = name;
  const width = tensor.shape?.dim.at(-1);
  if (width) Object.assign(width, { dimParam: '', dimValue: BigInt(layers.at(-1)?.outputs ?? 0) });
}

/** Adds an output that applies a layer to a graph value with one vector per token. Modifies the graph. */
export function appendTokenOutput(
  graph: GraphProto,
  value: string,
  layer: ProjectionLayer,
  name: string,
): void {
  new LayerWriter(graph, name).add(value, layer);
  const last = graph.node.at(-1);
  if (last) last.output = [name];
  const dim = [
    { dimParam: 'batch_size' },
    { dimParam: 'sequence_length' },
    { dimValue: BigInt(layer.outputs) },
  ];
  const tensorType = { elemType: FLOAT32, shape: { dim } };
  graph.output.push(create(ValueInfoProtoSchema, { name, type: { tensorType } }));
}

class LayerWriter {
  readonly #graph: GraphProto;
  readonly #prefix: string;

  constructor(graph: GraphProto, output: string) {
    this.#graph = graph;
    this.#prefix = output;
  }

  get hidden(): string {
    return `${this.#prefix}_before_projection`;
  }

  add(value: string, { inputs, outputs, matrix, bias, activation, residual }: ProjectionLayer): string {
    const product = this.#multiply(value, matrix, inputs, outputs);
    const sum = bias ? this.op('Add', [product, this.#weight(bias, [outputs])]) : product;
    const operator = OPERATORS[activation];
    const activated = operator ? this.op(operator, [sum]) : sum;
    if (residual === undefined) return activated;
    const added = residual === 'input' ? value : this.#multiply(value, residual, inputs, outputs);
    return this.op('Add', [activated, added]);
  }

  op(opType: string, input: string[], name = `${this.#prefix}_${opType}_${this.#graph.node.length}`): string {
    const node: NodeProto = create(NodeProtoSchema, { opType, name: `${name}_node`, input, output: [name] });
    this.#graph.node.push(node);
    return name;
  }

  #multiply(value: string, matrix: Float32Array, inputs: number, outputs: number): string {
    const transposed = new Float32Array(matrix.length);
    for (let row = 0; row < outputs; row++) {
      for (let column = 0; column < inputs; column++) {
        transposed[column * outputs + row] = matrix[row * inputs + column] ?? 0;
      }
    }
    return this.op('MatMul', [value, this.#weight(transposed, [inputs, outputs])]);
  }

  #weight(values: Float32Array, shape: readonly number[]): string {
    const name = `${this.#prefix}_projection_${this.#graph.initializer.length}`;
    this.#graph.initializer.push(floatConstant(name, values, shape));
    return name;
  }
}

const OPERATORS: Record<Activation, string | undefined> = {
  identity: undefined,
  tanh: 'Tanh',
  relu: 'Relu',
  sigmoid: 'Sigmoid',
};
