import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { recordShapes } from '#cli/packaging/onnx/value-shapes.ts';
import { GraphProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';

test('sizes that depend on the contents of texts stay unknown', () => {
  const graph = create(GraphProtoSchema, {
    node: [
      { opType: 'NonZero', input: ['mask'], output: ['places'] },
      { opType: 'GatherND', input: ['rows', 'places'], output: ['selected'] },
      { opType: 'ScatterND', input: ['rows', 'places', 'selected'], output: ['written'] },
    ],
  });
  const sizes = [
    { texts: 1, tokens: 2, rows: 2 },
    { texts: 3, tokens: 5, rows: 4 },
  ];
  // The sizes of all values match the number of tokens.
  const dims = sizes.map(({ texts, tokens }) => [texts * tokens, 4]);
  const values = ['places', 'selected', 'written'].map((name) => ({ name, type: 'float32', dims }));
  recordShapes(graph, values, sizes);
  expect(
    graph.valueInfo.map(({ name, type }) => [
      name,
      type?.tensorType?.shape?.dim.map((size) => size.dimParam || Number(size.dimValue)),
    ]),
  ).toEqual([['written', ['batch*sequence', 4]]]);
});
