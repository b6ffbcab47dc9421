import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { GraphProtoSchema, ModelProtoSchema, type NodeProto } from '#gen/onnx/v1/onnx_pb.ts';
import { int } from './attributes.ts';
import { FLOAT16, FLOAT32 } from './element-types.ts';
import { GraphAppender } from './graph-appender.ts';

/**
 * Rewrites a graph so that products with weights are computed in float16, and everything else in float32
 * (docs/decisions/0195). The weights stay in float32 in the file: ONNX Runtime converts them when it opens
 * the graph, because a conversion of constants is computed once.
 */
export function halfGraph(bytes: Uint8Array): Uint8Array {
  const model = fromBinary(ModelProtoSchema, bytes);
  const { graph } = model;
  if (!graph) return bytes;
  const weights = new Set(
    graph.initializer.flatMap(({ name, dataType, dims }) =>
      dataType === FLOAT32 && dims.length > 1 ? [name] : [],
    ),
  );
  const rewritten = create(GraphProtoSchema, { initializer: graph.initializer });
  const append = new GraphAppender(model, rewritten, 'half');
  /** Inputs that several products share are converted once. */
  const converted = new Map<string, string>();
  const toHalf = (value: string): string => {
    const half = converted.get(value) ?? append.op('Cast', [value], int('to', FLOAT16));
    converted.set(value, half);
    return half;
  };
  for (const node of graph.node) {
    if (!isProduct(node) || !node.input.some((name) => weights.has(name))) {
      rewritten.node.push(node);
      continue;
    }
    const [result = ''] = node.output;
    node.input = node.input.map((name) => (name === '' ? name : toHalf(name)));
    node.output = [`${result}_half`];
    rewritten.node.push(node);
    append.op('Cast', node.output, int('to', FLOAT32));
    const last = rewritten.node.at(-1);
    if (last) last.output = [result];
  }
  graph.node = rewritten.node;
  graph.initializer = rewritten.initializer;
  return toBinary(ModelProtoSchema, model);
}

const isProduct = ({ opType }: NodeProto): boolean => PRODUCTS.has(opType);
const PRODUCTS = new Set(['MatMul', 'FusedMatMul', 'Gemm', 'Conv']);
