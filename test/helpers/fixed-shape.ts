import { create } from '@bufbuild/protobuf';
import type { FixedShape } from '#contract/fixed-shape.ts';
import { DimensionProtoSchema, type GraphProto } from '#gen/onnx/v1/onnx_pb.ts';

/** Sets fixed input sizes, like onnxruntime's `make_dynamic_shape_fixed`. */
export function fixShape(
  graph: GraphProto,
  { texts, tokens }: FixedShape,
  names: readonly string[] = graph.input.map(({ name }) => name),
): void {
  for (const { name, type } of graph.input) {
    const shape = type?.tensorType?.shape;
    if (!shape || !names.includes(name)) continue;
    shape.dim = [texts, tokens].map((size, axis) =>
      size === undefined
        ? (shape.dim[axis] ?? create(DimensionProtoSchema))
        : create(DimensionProtoSchema, { dimValue: BigInt(size) }),
    );
  }
  // The sizes of intermediate results are no longer correct.
  graph.valueInfo = [];
}
