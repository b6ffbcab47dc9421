import { fromBinary } from '@bufbuild/protobuf';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FLOAT16 } from '#core/onnx/element-types.ts';
import { halfGraph } from '#core/onnx/half-graph.ts';
import { type GraphProto, ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { inputNames, useOnnxRuntime } from '#test/helpers/use-onnxruntime.ts';

const folder = useTempFolder();
const runtime = useOnnxRuntime();
const MODELS = ['embedder', 'sentiment', 'ner', 'roberta'];
const model = (name: string): string => join(FIXTURES, 'models', name, 'model.onnx');

function graphOf(bytes: Uint8Array): GraphProto {
  const { graph } = fromBinary(ModelProtoSchema, bytes);
  if (!graph) throw new Error('no graph');
  return graph;
}

test.each(MODELS)(
  '%s: products with weights are computed in float16, from inputs that are converted once',
  (name) => {
    const original = readFileSync(model(name));
    const [before, after] = [graphOf(original), graphOf(halfGraph(original))];
    expect(after.initializer.map(({ name: weights }) => weights)).toEqual(
      before.initializer.map(({ name: weights }) => weights),
    );
    const casts = after.node.filter(
      ({ opType, attribute }) => opType === 'Cast' && attribute[0]?.i === BigInt(FLOAT16),
    );
    const converted = casts.map(({ input }) => input[0]);
    expect(new Set(converted).size).toBe(converted.length);
    const halves = new Set(casts.map(({ output }) => output[0]));
    const products = after.node.filter(({ input }) => input.some((one) => halves.has(one)));
    expect(products.length).toBeGreaterThan(3);
    for (const { input } of products) expect(input.every((one) => halves.has(one))).toBe(true);
    // The values of the original graph have the same names.
    const outputs = new Set(after.node.flatMap(({ output }) => output));
    for (const { output } of before.node) expect(output.every((one) => outputs.has(one))).toBe(true);
  },
);

test.each(MODELS)(
  '%s: a CPU computes the same results, because ONNX Runtime converts products back that it cannot compute in float16',
  async (name) => {
    const graph = model(name);
    const half = join(folder(), `${name}.onnx`);
    writeFileSync(half, halfGraph(readFileSync(graph)));
    const request = {
      folder: folder(),
      inputs: inputNames(graph),
      output: graphOf(readFileSync(graph)).output[0]?.name ?? '',
      ids: [
        [2, 5, 6, 7, 3],
        [2, 9, 3],
      ],
      padId: 0,
    };
    const expected = await runtime().tryOut({ ...request, graph });
    const found = await runtime().tryOut({ ...request, graph: half });
    const differences = expected.data.map((value, at) => Math.abs(value - (found.data[at] ?? NaN)));
    expect(Math.max(...differences)).toBeLessThan(1e-5);
  },
);
