import { lookup } from '#core/values/lookup.ts';
import { create } from '@bufbuild/protobuf';
import { type GraphProto, type NodeProto, NodeProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { float, int } from '#core/onnx/attributes.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';

/** ONNX Runtime's operators that add and normalize, mapped to the operator that only normalizes. */
const NORMS = lookup<string>({
  SkipLayerNormalization: 'LayerNormalization',
  SkipSimplifiedLayerNormalization: 'SimplifiedLayerNormalization',
});

/** Default epsilon of the replaced operators. The default of the operators that only normalize differs. */
const DEFAULT_EPSILON = 1e-12;

/**
 * Replaces operators that add and normalize with an Add and a normalization, which take a fifth of
 * the time on CPUs (docs/decisions/0072). Published graphs contain such operators if they have
 * already been optimized, and ONNX Runtime inserts them where it knows the shapes. Modifies the
 * graph.
 */
export function splitSkipNorms(graph: GraphProto): void {
  const floats = new Set(
    graph.initializer.filter(({ dataType }) => dataType === FLOAT32).map(({ name }) => name),
  );
  graph.node = graph.node.flatMap((node) => {
    const norm = NORMS[node.opType];
    const [, , scale = '', ...others] = node.input;
    const [, mean, deviation] = node.output;
    // Skips operators with other types, which would require conversions that take more time than is
    // saved, and operators with outputs for statistics, which have no equivalent.
    if (norm === undefined || !floats.has(scale) || mean || deviation) return [node];
    return splitNode(node, norm, scale, others);
  });
}

function splitNode(node: NodeProto, norm: string, scale: string, others: readonly string[]): NodeProto[] {
  const [input = '', skip = ''] = node.input;
  const [output = '', , , ownSum] = node.output;
  // Only the operator that also centers has an offset, before the bias of the sum.
  const [offset, bias] = norm === 'LayerNormalization' ? others : [undefined, ...others];
  const epsilon = node.attribute.find(({ name }) => name === 'epsilon');
  const sum = ownSum || `${output}_sum`;
  const biased = bias ? `${output}_biased` : input;
  const add = (a: string, b: string, result: string): NodeProto =>
    create(NodeProtoSchema, { opType: 'Add', name: result, input: [a, b], output: [result] });
  return [
    ...(bias ? [add(input, bias, biased)] : []),
    add(biased, skip, sum),
    create(NodeProtoSchema, {
      opType: norm,
      name: node.name,
      input: offset ? [sum, scale, offset] : [sum, scale],
      output: [output],
      attribute: [int('axis', -1), float('epsilon', epsilon?.f ?? DEFAULT_EPSILON)],
    }),
  ];
}
