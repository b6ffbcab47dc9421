import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { GraphAppender } from '#core/onnx/graph-appender.ts';
import { float, int, ints } from '#core/onnx/attributes.ts';
import { GraphFile } from '#cli/packaging/onnx/graph-file.ts';
import { useBfloat16 } from '#cli/packaging/quantize/bfloat16-model.ts';
import { roundFactors } from '#cli/packaging/quantize/bfloat16-products.ts';
import { textSamples, Trial } from '#cli/packaging/quantize/trial.ts';
import { ModelProtoSchema, TensorProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { useOnnxRuntime } from '../../../helpers/use-onnxruntime.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const runtime = useOnnxRuntime();

const WIDTH = 256;
const TOKENS = 400;
const TEXTS = [[1, 2, 3], Array.from({ length: 300 }, (_, at) => (at * 7) % TOKENS)];

/** Numbers around 0, identical in every run. */
function numbers(seed: number, count: number, size: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return size * (state / 2 ** 30 - 1);
  });
}

/** Writes a model with each form of a product, and with angles that are products of positions. */
function writeModel(): { graphPath: string; weightsPath: string } {
  const model = create(ModelProtoSchema, {
    irVersion: 8n,
    opsetImport: [
      { domain: '', version: 20n },
      { domain: 'com.microsoft', version: 1n },
    ],
    graph: {
      name: 'products',
      input: [
        {
          name: 'input_ids',
          type: { tensorType: { elemType: 7, shape: { dim: [{ dimParam: 'n' }, { dimParam: 's' }] } } },
        },
      ],
    },
  });
  const { graph } = model;
  if (!graph) throw new Error('no graph');
  const g = new GraphAppender(model, graph, 'g');
  const weight = (seed: number, rows = WIDTH): string => {
    const name = `weight_${seed}`;
    const rawData = new Uint8Array(numbers(seed, rows * WIDTH, 0.2).buffer);
    const dims = [BigInt(rows), BigInt(WIDTH)];
    graph.initializer.push(create(TensorProtoSchema, { name, dataType: 1, dims, rawData }));
    return name;
  };
  const table = weight(1, TOKENS);
  const embedded = g.op('Gather', [table, 'input_ids']);
  const shape = g.op('Shape', [embedded]);
  const flat = (value: string): string => g.op('Reshape', [value, g.integers([-1, WIDTH])]);

  // Token ids serve as positions: up to 399, which bfloat16 cannot represent.
  const positions = g.op('Reshape', [g.op('Cast', ['input_ids'], int('to', 1)), g.integers([1, 1, -1])]);
  const frequencies = g.op('Reshape', [g.floats(numbers(2, WIDTH, 1)), g.integers([1, WIDTH, 1])]);
  // As in many models, the number of positions comes from the shape of the hidden states.
  const width = g.op('Cast', [g.op('Gather', [shape, g.integers([2])])], int('to', 1));
  const one = g.op('Div', [width, g.float(WIDTH)]);
  const angles = g.op('MatMul', [frequencies, g.op('Mul', [positions, one])]);
  const waves = g.op('Reshape', [
    g.op('Transpose', [g.op('Sin', [angles])], ints('perm', [0, 2, 1])),
    g.integers([-1, WIDTH]),
  ]);

  const bias = g.floats(numbers(3, WIDTH, 0.1));
  const first = g.op('Gemm', [g.op('Add', [flat(embedded), waves]), weight(4), bias], int('transB', 1));
  const scaled = g.op('Gemm', [g.op('Gelu', [first]), weight(5), bias], float('alpha', 0.5));
  const tied = g.op('Gemm', [scaled, table], int('transB', 1));
  const back = g.op('MatMul', [tied, weight(6, TOKENS)]);
  // One matrix in two forms.
  const square = weight(7);
  const turned = g.op('Gemm', [back, square], int('transB', 1), float('alpha', 0.5));
  const both = g.op('Add', [turned, g.op('Gemm', [back, square], float('alpha', 0.5))]);
  const result = g.op('Reshape', [g.op('Add', [both, scaled]), shape]);
  g.finish(result, { name: 'hidden', shape: ['n', 's', 'width'] });
  const [graphPath, weightsPath] = [join(folder(), 'graph.onnx'), join(folder(), 'weights.bin')];
  writeFileSync(graphPath, toBinary(ModelProtoSchema, model));
  writeFileSync(weightsPath, '');
  return { graphPath, weightsPath };
}

const inputs = () => ({
  folder: folder(),
  inputs: ['input_ids'],
  padId: 0,
  fixedShape: undefined,
  firstPosition: undefined,
});

const request = (minCosine: number) => ({
  ...writeModel(),
  file: 'model.onnx',
  output: 'hidden',
  samples: textSamples(inputs()),
  compare: (values: Float32Array) => ({ kind: 'vectors' as const, rows: [values] }),
  thresholds: { minCosine, minAgreement: 0 },
  isOptional: false,
  calibration: [],
  heldOut: TEXTS,
});

const difference = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] ?? 0))), 0);

test('products become MatMul without changing results, and angles of positions stay exact', async () => {
  const { graphPath, quantization } = await useBfloat16(runtime(), request(0.999), join(folder(), 'bf16'));
  const { cosine } = quantization.accuracy;
  expect(quantization).toMatchObject({ form: 'bf16', products: 6, quantized: 5, accuracy: { texts: 2 } });
  expect(quantization.kept).toHaveLength(1);
  expect(cosine?.mean).toBeGreaterThan(0.9999);
  // Rounding does change the results.
  expect(cosine?.mean).toBeLessThan(0.9999999);

  const { graph } = (await GraphFile.read(graphPath)).model();
  const operators = graph?.node.map(({ opType }) => opType) ?? [];
  const count = (wanted: string): number => operators.filter((opType) => opType === wanted).length;
  expect(['MatMul', 'BiasGelu', 'Gelu', 'Gemm', 'FusedMatMul'].map(count)).toEqual([5, 1, 0, 1, 1]);

  const trial = new Trial(runtime(), textSamples(inputs()));
  const plain = new Trial(runtime(), textSamples({ ...inputs(), folder: join(folder(), 'bf16') }));
  const before = await trial.alone(join(folder(), 'graph.onnx'), 'hidden', TEXTS);
  const after = await plain.alone(graphPath, 'hidden', TEXTS);
  for (const [at, values] of before.entries()) {
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    expect(difference(values, after[at] ?? new Float32Array()) / largest).toBeLessThan(1e-5);
  }

  // The same rounding in the original graph, whose angles are products too.
  const file = await GraphFile.read(join(folder(), 'graph.onnx'));
  const rounded = await file.write('rounded', (model) => {
    if (model.graph) roundFactors(model.graph);
  });
  const [, wrong = new Float32Array()] = await trial.alone(rounded.path, 'hidden', TEXTS);
  const [, right = new Float32Array()] = before;
  const size = right.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  expect(difference(right, wrong) / size).toBeGreaterThan(0.05);
});

test('rounding leaves the bits of bfloat16, with halves to even, in all versions of ONNX', async () => {
  const values = Float32Array.of(1, 1 + 2 ** -8, 1 + 3 * 2 ** -8, 1.004, -3.14159, 0, 1e30);
  // Independent of Dekker's split: the upper 16 bits, rounded.
  const expected = [...new Uint32Array(values.buffer)].map((bits) => {
    const rounded = ((bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff0000) >>> 0;
    return new Float32Array(Uint32Array.of(rounded).buffer)[0];
  });
  const model = create(ModelProtoSchema, {
    irVersion: 8n,
    opsetImport: [{ domain: '', version: 11n }],
    graph: {
      name: 'one',
      input: [
        {
          name: 'input_ids',
          type: { tensorType: { elemType: 7, shape: { dim: [{ dimParam: 'n' }, { dimParam: 's' }] } } },
        },
      ],
    },
  });
  if (!model.graph) throw new Error('no graph');
  const g = new GraphAppender(model, model.graph, 'g');
  const one = g.op('Reshape', [
    g.op('Cast', [g.op('Div', ['input_ids', 'input_ids'])], int('to', 1)),
    g.integers([1, 1, 1]),
  ]);
  const row = g.op('Reshape', [g.floats(values), g.integers([1, 1, -1])]);
  g.finish(g.op('MatMul', [one, row]), { name: 'y', shape: ['n', 's', 'width'] });
  roundFactors(model.graph);
  const path = join(folder(), 'one.onnx');
  writeFileSync(path, toBinary(ModelProtoSchema, model));
  const [result] = await new Trial(runtime(), textSamples(inputs())).alone(path, 'y', [[5]]);
  expect([...(result ?? [])]).toEqual(expected);
});

test('a form that is not accurate enough is rejected', async () => {
  await expect(useBfloat16(runtime(), request(1), join(folder(), 'bf16'))).rejects.toThrow(
    /^The bf16 version of model\.onnx is not accurate enough: the mean cosine to float32 is 0\.9\d+, below `min_cosine` \(1\)\. /,
  );
});

test('a product of integers, which has no bfloat16 form, is an error with the model and the way out', async () => {
  const { graphPath, ...rest } = request(0.9);
  const file = await GraphFile.read(graphPath);
  const { path } = await file.write('integers', (model) => {
    if (!model.graph) return;
    const g = new GraphAppender(model, model.graph, 'integers');
    g.op('MatMul', ['input_ids', g.op('Transpose', ['input_ids'])]);
  });
  await expect(useBfloat16(runtime(), { ...rest, graphPath: path }, join(folder(), 'bf16'))).rejects.toThrow(
    /^model\.onnx has products whose factors cannot be rounded to bfloat16: .*\. Remove `quantize`\.$/,
  );
});
