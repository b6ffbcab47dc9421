import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { findMatMuls, groupMatMuls } from '#cli/packaging/quantize/find-matmuls.ts';
import { blockOf } from '#cli/packaging/quantize/probe-graph.ts';
import { textSamples } from '#cli/packaging/quantize/trial.ts';
import { float, int } from '#core/onnx/attributes.ts';
import { GraphProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';

const matrix = (name: string, ...dims: number[]) => ({ name, dataType: 1, dims: dims.map(BigInt) });
const node = (opType: string, input: string[], result: string, ...attribute: ReturnType<typeof int>[]) => ({
  opType,
  input,
  output: [result],
  attribute,
});

test('finds matmuls of large constant matrices in all forms, and groups those with shared factors', () => {
  const graph = create(GraphProtoSchema, {
    initializer: [
      matrix('q', 256, 512),
      matrix('k', 512, 256),
      matrix('shared', 512, 512),
      matrix('small', 64, 64),
      matrix('narrow', 4096, 16),
      matrix('bias', 512),
      matrix('scalar', 1),
    ],
    node: [
      node('MatMul', ['x', 'q'], 'a'),
      node('Gemm', ['x', 'k', 'bias'], 'b', int('transB', 1), float('alpha', 0.5)),
      node('FusedMatMul', ['a', 'shared'], 'c', int('transB', 1)),
      node('MatMul', ['b', 'shared'], 'd'),
      node('MatMul', ['e', 'small'], 'f'),
      node('MatMul', ['e', 'narrow'], 'g'),
      node('MatMul', ['a', 'b'], 'h'),
      node('Gemm', ['x', 'q'], 'i', int('transA', 1)),
      node('Gemm', ['x', 'q', 'scalar'], 'j'),
      node('Conv', ['x', 'q'], 'k'),
    ],
  });
  const matmuls = findMatMuls(graph);
  expect(
    matmuls.map(({ result, inputs, outputs, isTransposed, alpha, bias }) => ({
      result,
      inputs,
      outputs,
      isTransposed,
      alpha,
      bias,
    })),
  ).toEqual([
    { result: 'a', inputs: 256, outputs: 512, isTransposed: false, alpha: 1, bias: undefined },
    { result: 'b', inputs: 256, outputs: 512, isTransposed: true, alpha: 0.5, bias: 'bias' },
    { result: 'c', inputs: 512, outputs: 512, isTransposed: true, alpha: 1, bias: undefined },
    { result: 'd', inputs: 512, outputs: 512, isTransposed: false, alpha: 1, bias: undefined },
  ]);
  expect(groupMatMuls(matmuls).map((group) => group.matmuls.map(({ result }) => result).join())).toEqual([
    'a,b',
    // The same tensor, as it is and transposed: two matrices with factors of their own.
    'c',
    'd',
  ]);
});

test('batches have no padding: the texts in a batch are truncated to the length of the shortest one, and keep their last token', () => {
  const text = (length: number) => Array.from({ length }, (_, at) => (at === length - 1 ? 102 : at));
  const inputs = { folder: '', inputs: [], padId: 0 };
  const batches = textSamples(inputs).evenBatches([text(9), text(3), text(5)]);
  expect(batches).toEqual([
    [
      [0, 1, 102],
      [0, 1, 102],
      [0, 1, 102],
    ],
  ]);
  const fixed = textSamples({ ...inputs, fixedShape: { texts: 1 } });
  expect(fixed.evenBatches([text(9), text(3)])).toHaveLength(2);
});

test.each([
  [384, 128],
  [768, 128],
  [312, 104],
  [127, 127],
  [131, 1],
])('a matrix of width %i has blocks of %i', (width, block) => {
  expect(blockOf(width)).toBe(block);
});
