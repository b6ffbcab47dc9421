import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { BOOL, FLOAT32, INT64 } from '#core/onnx/element-types.ts';
import { fillPixelMask } from '#cli/packaging/onnx/fill-pixel-mask.ts';
import { joinOutputs } from '#cli/packaging/onnx/join-outputs.ts';
import { type GraphProto, GraphProtoSchema, ValueInfoProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';

const FLOAT16 = 10;
const STRING = 8;

/** A value with axes of a fixed size, or of any size (0). */
const value = (name: string, elemType: number, dims: readonly number[]) =>
  create(ValueInfoProtoSchema, {
    name,
    type: {
      tensorType: {
        elemType,
        shape: { dim: dims.map((dim) => (dim === 0 ? {} : { dimValue: BigInt(dim) })) },
      },
    },
  });

const graphOf = (...outputs: readonly Parameters<typeof value>[]): GraphProto =>
  create(GraphProtoSchema, { output: outputs.map((output) => value(...output)) });

const join = (graph: GraphProto): void =>
  joinOutputs(graph, ['logits', 'pred_boxes'], 'detections', 'model.onnx');

describe('joinOutputs', () => {
  test('adds an output with the values of both, and keeps a graph that already has it', () => {
    const graph = graphOf(['logits', FLOAT32, [0, 7, 4]], ['pred_boxes', FLOAT32, [0, 7, 4]]);
    join(graph);
    join(graph);
    expect(graph.output.map(({ name }) => name)).toEqual(['logits', 'pred_boxes', 'detections']);
    expect(graph.node).toMatchObject([{ opType: 'Concat', input: ['logits', 'pred_boxes'] }]);
  });

  test.each([
    ['no boxes', graphOf(['logits', FLOAT32, [0, 7, 4]])],
    ['another shape', graphOf(['logits', FLOAT32, [0, 4]], ['pred_boxes', FLOAT32, [0, 7, 4]])],
  ])('rejects a graph with %s', (_, graph) => {
    expect(() => join(graph)).toThrow(/^model\.onnx must have the outputs `logits`, `pred_boxes`, each of/);
  });

  test('rejects outputs of different types', () => {
    const graph = graphOf(['logits', FLOAT16, [0, 7, 4]], ['pred_boxes', FLOAT32, [0, 7, 4]]);
    expect(() => join(graph)).toThrow(/must have the same floating-point type, not float16 and float32/);
  });
});

describe('fillPixelMask', () => {
  const withMask = (type: number, dims: readonly number[]): GraphProto =>
    create(GraphProtoSchema, {
      input: [value('pixel_values', FLOAT32, [0, 3, 0, 0]), value('pixel_mask', type, dims)],
    });

  test.each([
    ['of any size', INT64, [0, 0, 0]],
    ['of a fixed size', BOOL, [0, 64, 64]],
  ])('replaces a mask %s', (_, type, dims) => {
    const graph = withMask(type, dims);
    fillPixelMask(graph, 'pixel_values', 'model.onnx');
    expect(graph.input.map(({ name }) => name)).toEqual(['pixel_values']);
    expect(graph.node.at(-1)).toMatchObject({ opType: 'Cast', output: ['pixel_mask'] });
    const count = graph.node.length;
    fillPixelMask(graph, 'pixel_values', 'model.onnx');
    expect(graph.node).toHaveLength(count);
  });

  test.each([
    ['huge sizes', INT64, [0, 1_000_000, 1_000_000]],
    ['two axes', INT64, [0, 64]],
    ['texts', STRING, [0, 64, 64]],
  ])('rejects a mask with %s', (_, type, dims) => {
    expect(() => fillPixelMask(withMask(type, dims), 'pixel_values', 'model.onnx')).toThrow(
      /^Input `pixel_mask` of model\.onnx must be numbers of the shape \[batch, height, width\]/,
    );
  });
});
