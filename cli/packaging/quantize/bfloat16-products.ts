import { create } from '@bufbuild/protobuf';
import {
  type GraphProto,
  type ModelProto,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
} from '#gen/onnx/v1/onnx_pb.ts';
import { float, readNumber } from '#core/onnx/attributes.ts';
import { floatConstant } from '#core/onnx/constants.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { nestedGraphs } from '../onnx/nested-nodes.ts';
import { MIN_ELEMENTS } from './find-matmuls.ts';
import { declareFused, FUSED } from './matmul-nodes.ts';

/**
 * Whether ONNX Runtime computes a node in bfloat16 if the session allows it. Other operators, for
 * example Gemm and attention, and products of transposed or scaled factors stay in float32.
 */
const isComputedInBfloat16 = (node: NodeProto): boolean =>
  node.opType === 'MatMul' ||
  (node.opType === 'FusedMatMul' &&
    ['transA', 'transB'].every((name) => readNumber(node, name, 0) === 0) &&
    readNumber(node, 'alpha', 1) === 1);

/**
 * Keeps products in float32 that do not depend on a weight matrix. Such products compute the angles
 * of rotary embeddings from positions, which would be wrong by whole turns for long texts. Modifies
 * the model's graph.
 */
export function keepPositionsExact(model: ModelProto, graph: GraphProto): void {
  const dependent = new Set(graph.initializer.filter(isMatrix).map(({ name }) => name));
  const half = constant('one_half', 0.5);
  let isUsed = false;
  graph.node = graph.node.flatMap((node) => {
    // Nodes with a branch or body can read any value.
    const hasGraph = node.attribute.some(({ g, graphs }) => g || graphs.length > 0);
    if (hasGraph || (!SIZES.has(node.opType) && node.input.some((name) => dependent.has(name)))) {
      for (const name of node.output) dependent.add(name);
      return [node];
    }
    if (!isComputedInBfloat16(node)) return [node];
    isUsed = true;
    const [result = ''] = node.output;
    const doubled = `${result}_doubled`;
    // A scaled product stays in float32. A scale of 2 and its inverse do not change the result.
    const others = node.attribute.filter(({ name }) => name !== 'alpha');
    const attribute = [...others, float('alpha', 2)];
    return [
      create(NodeProtoSchema, {
        ...node,
        opType: 'FusedMatMul',
        domain: FUSED,
        output: [doubled],
        attribute,
      }),
      nodeOf('Mul', [doubled, half.name], result),
    ];
  });
  if (!isUsed) return;
  declareFused(model);
  graph.initializer.push(half);
}

/** Operators whose result depends on the sizes of a value only. Positions are often counted from them. */
const SIZES = new Set(['Shape', 'Size']);

const isMatrix = ({ dataType, dims }: TensorProto): boolean =>
  dataType === FLOAT32 && dims.reduce((product, size) => product * Number(size), 1) >= MIN_ELEMENTS;

/**
 * Rounds both factors of each product that ONNX Runtime computes in bfloat16, so that any CPU
 * computes the same results. Modifies the graph.
 */
export function roundFactors(graph: GraphProto): void {
  const splitter = constant('bfloat16_splitter', SPLITTER);
  for (const inner of nestedGraphs(graph)) {
    const rounded = new Set<string>();
    inner.node = inner.node.flatMap((node) => {
      if (!isComputedInBfloat16(node)) return [node];
      const roundings = node.input.filter((name) => rounded.size !== rounded.add(name).size);
      const added = roundings.flatMap((name) => roundingOf(name, splitter.name));
      return [...added, create(NodeProtoSchema, { ...node, input: node.input.map(roundedName) })];
    });
  }
  graph.initializer.push(splitter);
}

/**
 * Subtracting a number from its product with 2^16 + 1, and the difference from this product, leaves
 * the 8 most significant bits of the number (Dekker's split), which is its bfloat16 value. Unlike a
 * conversion to bfloat16, this works in all versions of ONNX.
 */
const SPLITTER = 2 ** 16 + 1;

function roundingOf(name: string, splitter: string): NodeProto[] {
  const [product, rest] = [`${name}_split`, `${name}_split_rest`];
  return [
    nodeOf('Mul', [name, splitter], product),
    nodeOf('Sub', [product, name], rest),
    nodeOf('Sub', [product, rest], roundedName(name)),
  ];
}

const roundedName = (name: string): string => `${name}_in_bfloat16`;

const nodeOf = (opType: string, input: string[], result: string): NodeProto =>
  create(NodeProtoSchema, { opType, input, output: [result] });

const constant = (name: string, value: number): TensorProto =>
  floatConstant(name, Float32Array.of(value), []);
