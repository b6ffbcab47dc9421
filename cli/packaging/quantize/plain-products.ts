import { create } from '@bufbuild/protobuf';
import type { ByteSource } from '#contract/container/byte-source.ts';
import {
  type GraphProto,
  type ModelProto,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
} from '#gen/onnx/v1/onnx_pb.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { nestedNodes } from '../onnx/nested-nodes.ts';
import { findActivations } from './activations.ts';
import { formName, type MatMul } from './find-matmuls.ts';
import { declareFused, FUSED } from './matmul-nodes.ts';
import { matrixOf } from './round-group.ts';
import type { WeightsWriter } from './weights-file.ts';

/** The matrix of a product as inputs x outputs. */
interface PlainProduct {
  readonly matmul: MatMul;
  readonly matrix: TensorProto;
}

/** Products by the name of their result. */
export type PlainProducts = ReadonlyMap<string, PlainProduct>;

/**
 * Prepares products that a MatMul node can compute without transposing or scaling its factors.
 * Matrices that are stored in another form are added to `writer`, except matrices that other nodes
 * also read: the file would contain them twice. Products with such a matrix are missing in the result.
 */
export async function preparePlainProducts(
  graph: GraphProto,
  matmuls: readonly MatMul[],
  weights: ByteSource,
  writer: WeightsWriter,
): Promise<PlainProducts> {
  const results = new Set(matmuls.map(({ result }) => result));
  const readElsewhere = new Set(
    [...nestedNodes(graph)].flatMap(({ input, output: [result = ''] }) =>
      results.has(result) ? input.filter((_, at) => at !== 1) : input,
    ),
  );
  const written = new Map<string, TensorProto>();
  const products = new Map<string, PlainProduct>();
  for (const matmul of matmuls) {
    const { weight, isTransposed, alpha, inputs, outputs, result } = matmul;
    if (!isTransposed && alpha === 1) {
      products.set(result, { matmul, matrix: weight });
      continue;
    }
    if (readElsewhere.has(weight.name)) continue;
    const name = formName(matmul);
    const values = written.has(name) ? [] : [matrixOf(matmul, weights)];
    const matrix = written.get(name) ?? (await writer.add(name, FLOAT32, [inputs, outputs], values));
    written.set(name, matrix);
    products.set(result, { matmul, matrix });
  }
  return products;
}

/** Replaces products with MatMul nodes. Modifies the model's graph. Results keep their names. */
export function replaceProducts(model: ModelProto, graph: GraphProto, products: PlainProducts): void {
  const activations = findActivations(graph);
  const fused = new Set<NodeProto>();
  const added = new Map<string, TensorProto>();
  graph.node = graph.node.flatMap((node) => {
    if (fused.has(node)) return [];
    const product = products.get(node.output[0] ?? '');
    if (!product) return [node];
    const { matrix, matmul } = product;
    const { input, bias, result } = matmul;
    added.set(matrix.name, matrix);
    if (bias === undefined) return [nodeOf('MatMul', [input, matrix.name], result)];
    const sum = `${result}_without_bias`;
    const gelu = activations.get(result);
    if (gelu) fused.add(gelu);
    return [
      nodeOf('MatMul', [input, matrix.name], sum),
      gelu
        ? nodeOf('BiasGelu', [sum, bias], gelu.output[0] ?? '', FUSED)
        : nodeOf('Add', [sum, bias], result),
    ];
  });
  declareFused(model);
  const used = new Set([...nestedNodes(graph)].flatMap(({ input }) => input));
  graph.initializer = [
    ...graph.initializer.filter(({ name }) => used.has(name) && !added.has(name)),
    ...added.values(),
  ];
  graph.valueInfo = [];
}

const nodeOf = (opType: string, input: string[], result: string, domain = ''): NodeProto =>
  create(NodeProtoSchema, { opType, domain, input, output: [result] });
