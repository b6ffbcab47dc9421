import { open } from 'node:fs/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  DimensionProtoSchema,
  GraphProtoSchema,
  ModelProtoSchema,
  TensorProtoSchema,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from '../../../runtime/gen/onnx/v1/onnx_pb.ts';
import { FLOAT32, type GraphBuilder, type Weight } from './graph-builder.ts';
import { seededNormal } from './seeded.ts';

/** Field numbers in onnx.proto for parts that are encoded manually, because the weights inside them are streamed. */
const FIELD = { modelGraph: 7, graphInitializer: 5, tensorRawData: 9 } as const;
/** The standard deviation with which BERT's weights are initialized. */
const DEVIATION = 0.02;

/** An input or output of a graph; axes of any size have a name. */
export interface GraphValue {
  readonly name: string;
  readonly type: number;
  readonly axes: readonly (string | number)[];
}

/** Writes a graph and its weights as one ONNX file, with one weight in memory at a time. */
export async function writeModel(
  path: string,
  graph: GraphBuilder,
  inputs: readonly GraphValue[],
  output: GraphValue,
): Promise<void> {
  const body = toBinary(
    GraphProtoSchema,
    create(GraphProtoSchema, {
      name: 'main_graph',
      node: graph.nodes,
      input: inputs.map(tensorInfo),
      output: [tensorInfo(output)],
    }),
  );
  const head = toBinary(
    ModelProtoSchema,
    create(ModelProtoSchema, {
      irVersion: 8n,
      producerName: 'encoderfile-bench',
      opsetImport: [{ version: 17n }],
    }),
  );
  const weights = graph.weights.map((weight) => ({ weight, opening: openingOf(weight) }));
  const graphLength = weights.reduce(
    (sum, { weight, opening }) => sum + opening.length + byteLength(weight),
    body.length,
  );
  const file = await open(path, 'w');
  try {
    await file.writev([head, lengthDelimited(FIELD.modelGraph, graphLength), body]);
    for (const { weight, opening } of weights) await file.writev([opening, valuesOf(weight)]);
  } finally {
    await file.close();
  }
}

/** All fields of an initializer except its data, which follows. */
function openingOf(weight: Weight): Uint8Array {
  const { name, dims } = weight;
  const facts = toBinary(
    TensorProtoSchema,
    create(TensorProtoSchema, { name, dims: dims.map(BigInt), dataType: FLOAT32 }),
  );
  const raw = lengthDelimited(FIELD.tensorRawData, byteLength(weight));
  const length = facts.length + raw.length + byteLength(weight);
  return Buffer.concat([lengthDelimited(FIELD.graphInitializer, length), facts, raw]);
}

const lengthDelimited = (field: number, length: number): Uint8Array =>
  new BinaryWriter().tag(field, WireType.LengthDelimited).uint32(length).finish();

function valuesOf(weight: Weight): Uint8Array {
  const values = new Float32Array(byteLength(weight) / 4);
  if (weight.values === 'ones') values.fill(1);
  if (weight.values === 'normal') {
    const normal = seededNormal(weight.name);
    for (let at = 0; at < values.length; at += 1) values[at] = normal() * DEVIATION;
  }
  return new Uint8Array(values.buffer);
}

const byteLength = ({ dims }: Weight): number => dims.reduce((product, size) => product * size, 4);

function tensorInfo({ name, type: elemType, axes }: GraphValue): ValueInfoProto {
  const dim = axes.map((axis) =>
    create(DimensionProtoSchema, typeof axis === 'string' ? { dimParam: axis } : { dimValue: BigInt(axis) }),
  );
  return create(ValueInfoProtoSchema, { name, type: { tensorType: { elemType, shape: { dim } } } });
}
