import { create } from '@bufbuild/protobuf';
import type { SparseSettings } from '../../../runtime/contract/sparse.ts';
import {
  type AttributeProto,
  type GraphProto,
  type ModelProto,
  NodeProtoSchema,
  TensorProtoSchema,
  ValueInfoProtoSchema,
} from '../../../runtime/gen/onnx/v1/onnx_pb.ts';
import { int, ints } from './attributes.ts';
import { castNode } from './cast-node.ts';
import { FLOAT32, INT64 } from './element-types.ts';
import type { SelectedOutput } from './select-output.ts';

/** What a graph returns that pools logits itself, and what it returns after this step. */
export const SPARSE_OUTPUT: SelectedOutput = {
  name: 'sparse_embedding',
  shape: ['batch_size', 'vocabulary_size'],
};

/**
 * Appends the pooling of SPLADE to a graph that returns float32 logits of tokens: the logits of one text can be many megabytes.
 * Modifies the graph.
 */
export function appendSparsePooling(
  model: ModelProto,
  graph: GraphProto,
  logits: string,
  { pooling, activation }: SparseSettings,
): void {
  const opset = Number(model.opsetImport.find(({ domain }) => domain === '')?.version ?? 0n);
  const add = (opType: string, input: readonly string[], ...attribute: AttributeProto[]): string => {
    const name = `sparse_${opType}_${graph.node.length}`;
    graph.node.push(create(NodeProtoSchema, { opType, name, input: [...input], output: [name], attribute }));
    return name;
  };
  const constant = (name: string, dataType: number, values: Float32Array | BigInt64Array, dims: bigint[]) => {
    const rawData = new Uint8Array(values.buffer);
    graph.initializer.push(create(TensorProtoSchema, { name, dims, dataType, rawData }));
    return name;
  };
  const one = constant('sparse_one', FLOAT32, Float32Array.of(1), []);
  const reduce = (opType: 'ReduceMax' | 'ReduceSum', value: string): string => {
    const keep = int('keepdims', 0);
    if (opset < AXES_AS_INPUT[opType]) return add(opType, [value], ints('axes', [1]), keep);
    return add(opType, [value, constant('sparse_axes', INT64, BigInt64Array.of(1n), [1n])], keep);
  };
  const activate = (value: string): string => {
    const logarithm = (from: string): string => add('Log', [add('Add', [from, one])]);
    const first = logarithm(add('Relu', [value]));
    return activation === 'relu' ? first : logarithm(first);
  };

  const masked = graph.input.some(({ name }) => name === MASK) ? maskOut() : logits;
  // The activation is monotone, so it can follow the maximum, where it has fewer values.
  const last =
    pooling === 'sum' ? reduce('ReduceSum', activate(masked)) : activate(reduce('ReduceMax', masked));
  graph.node.push(
    create(NodeProtoSchema, {
      opType: 'Identity',
      name: SPARSE_OUTPUT.name,
      input: [last],
      output: [SPARSE_OUTPUT.name],
    }),
  );
  graph.output = [
    create(ValueInfoProtoSchema, {
      name: SPARSE_OUTPUT.name,
      type: {
        tensorType: {
          elemType: FLOAT32,
          shape: { dim: SPARSE_OUTPUT.shape.map((dimParam) => ({ dimParam })) },
        },
      },
    }),
  ];

  /** The logits with 0 for padding, which no activation makes greater than that of a token. */
  function maskOut(): string {
    graph.node.push(castNode('sparse_mask', MASK, 'sparse_mask', FLOAT32));
    const shape = constant('sparse_mask_shape', INT64, BigInt64Array.of(0n, 0n, 1n), [3n]);
    return add('Mul', [logits, add('Reshape', ['sparse_mask', shape])]);
  }
}

const MASK = 'attention_mask';

/** The version of ONNX from which the axes of these operators are an input and not an attribute. */
const AXES_AS_INPUT = { ReduceMax: 18, ReduceSum: 13 } as const;
