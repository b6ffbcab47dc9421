import { create, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { convertsIntegerWeights } from '#cli/packaging/onnx/converts-integer-weights.ts';
import {
  GraphProtoSchema,
  ModelProtoSchema,
  NodeProtoSchema,
  TensorProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';

const [FLOAT, INT8, INT64] = [1, 3, 7];
const node = (opType: string, input: string[], output: string) =>
  create(NodeProtoSchema, { opType, input, output: [output] });
const tensor = (name: string, dataType: number, dims: bigint[]) =>
  create(TensorProtoSchema, { name, dataType, dims });

function converts(nodes: ReturnType<typeof node>[], rows = 256n): boolean {
  const initializer = [
    tensor('table', INT8, [rows, 256n]),
    tensor('scale', FLOAT, []),
    tensor('axes', INT64, [1n]),
  ];
  const graph = create(GraphProtoSchema, { node: nodes, initializer });
  const bytes = toBinary(ModelProtoSchema, create(ModelProtoSchema, { graph }));
  return convertsIntegerWeights({
    name: 'model.onnx',
    size: bytes.length,
    readAt: (at, length) => bytes.subarray(at, at + length),
  });
}

test('a graph converts integer weights only if it converts a large stored table to floats', () => {
  const dequantized = node('DequantizeLinear', ['table', 'scale', ''], 'floats');
  expect(converts([dequantized])).toBe(true);
  expect(converts([node('Cast', ['table'], 'cast'), node('Mul', ['cast', 'scale'], 'floats')])).toBe(true);
  expect(converts([node('Squeeze', ['scale', 'axes'], 'one'), node('Div', ['table', 'one'], 'floats')])).toBe(
    true,
  );
  expect(converts([dequantized], 255n)).toBe(false);
  expect(converts([node('MatMulInteger', ['input', 'table'], 'product')])).toBe(false);
  const rows = node('Gather', ['table', 'input_ids'], 'rows');
  expect(converts([rows, node('DequantizeLinear', ['rows', 'scale'], 'floats')])).toBe(false);
});
