import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { mapExternalData } from '#cli/packaging/onnx/external-data.ts';
import {
  type GraphProto,
  GraphProtoSchema,
  ModelProtoSchema,
  TensorProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';

const tensor = (name: string, offset: string): ReturnType<typeof create<typeof TensorProtoSchema>> =>
  create(TensorProtoSchema, {
    name,
    dims: [2n],
    dataType: 1,
    dataLocation: 1,
    externalData: [
      { key: 'location', value: 'w.bin' },
      { key: 'offset', value: offset },
      { key: 'length', value: '8' },
      { key: 'checksum', value: 'kept' },
    ],
  });

const graph = create(GraphProtoSchema, {
  name: 'g',
  initializer: [
    tensor('a', '0'),
    create(TensorProtoSchema, { name: 'inline', rawData: Uint8Array.of(1, 2) }),
    tensor('b', '8'),
  ],
  node: [
    {
      opType: 'If',
      attribute: [{ name: 'then_branch', g: create(GraphProtoSchema, { initializer: [tensor('c', '16')] }) }],
    },
  ],
});
const model = toBinary(ModelProtoSchema, create(ModelProtoSchema, { irVersion: 8n, graph }));
const entries = (g: GraphProto | undefined): Record<string, string>[] =>
  (g?.initializer ?? []).map(({ externalData }) =>
    Object.fromEntries(externalData.map(({ key, value }) => [key, value])),
  );

test('locations and offsets are mapped, even in subgraphs; everything else is unchanged', () => {
  const mapped = mapExternalData(model, ({ location, offset, length }) => ({
    location: `${location}!`.repeat(40),
    offset: offset + 1_000_000,
    length,
  }));
  const result = fromBinary(ModelProtoSchema, mapped);
  const location = 'w.bin!'.repeat(40);
  expect(entries(result.graph)).toEqual([
    { location, offset: '1000000', length: '8', checksum: 'kept' },
    {},
    { location, offset: '1000008', length: '8', checksum: 'kept' },
  ]);
  expect(entries(result.graph?.node[0]?.attribute[0]?.g)).toMatchObject([{ location, offset: '1000016' }]);
  expect(result.graph?.initializer[1]?.rawData).toEqual(Uint8Array.of(1, 2));
  expect(result.irVersion).toBe(8n);
});

test('an identity map leaves the graph unchanged', () => {
  expect(
    fromBinary(
      ModelProtoSchema,
      mapExternalData(model, (data) => data),
    ),
  ).toEqual(fromBinary(ModelProtoSchema, model));
});
