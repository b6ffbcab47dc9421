import { fromBinary } from '@bufbuild/protobuf';
import * as fc from 'fast-check';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeGraph, writeHiddenStates } from '#cli/packaging/architectures/write-graph.ts';
import { halfGraph } from '#core/onnx/half-graph.ts';
import { gpuGraph } from '#core/onnx/gpu-graph.ts';
import { ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { inputNames, useOnnxRuntime } from '#test/helpers/use-onnxruntime.ts';

const folder = useTempFolder();
const runtime = useOnnxRuntime();

const operatorsIn = (bytes: Uint8Array): string[] =>
  fromBinary(ModelProtoSchema, bytes).graph?.node.map(({ opType }) => opType) ?? [];

/** Models of all architectures with weights for labels of texts, whose graphs have attention. */
const ARCHITECTURES = readdirSync(join(FIXTURES, 'architectures')).filter((name) => name.endsWith('-text'));

/** Architectures that limit the scores of attention, which ONNX Runtime's operator does not support. */
const CAPPED = /^gemma2-(?!uncapped)/;

/** Texts of up to 40 tokens: ONNX Runtime uses other code for more than 32. */
const BATCHES = fc.array(fc.array(fc.integer({ min: 4, max: 20 }), { minLength: 1, maxLength: 40 }), {
  minLength: 1,
  maxLength: 4,
});

test.each(ARCHITECTURES)('the forms for GPUs of %s return the same results for any batch', async (name) => {
  const model = join(FIXTURES, 'architectures', name);
  const place = join(folder(), name);
  mkdirSync(place);
  const files = { weights: join(model, 'model.safetensors'), config: join(model, 'config.json') };
  const written = await writeGraph(files, writeHiddenStates, place);
  const graph = join(place, 'graph.onnx');
  await runtime().optimize({ model: written, graph, weights: 'weights.bin', integers: undefined });
  const bytes = readFileSync(graph);
  expect(operatorsIn(bytes).includes('MultiHeadAttention')).toBe(!CAPPED.test(name));
  const forms = [gpuGraph(bytes), halfGraph(gpuGraph(bytes))].map((form, at) => {
    expect(operatorsIn(form)).not.toContain('MultiHeadAttention');
    const path = join(place, `form-${at}.onnx`);
    writeFileSync(path, form);
    return path;
  });
  const request = { folder: place, inputs: inputNames(graph), output: 'last_hidden_state', padId: 0 };
  await fc.assert(
    fc.asyncProperty(BATCHES, async (ids) => {
      const expected = await runtime().tryOut({ ...request, ids, graph });
      const largest = expected.data.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
      for (const form of forms) {
        const found = await runtime().tryOut({ ...request, ids, graph: form });
        expect(found.dims).toEqual(expected.dims);
        const differences = expected.data.map((value, at) => Math.abs(value - (found.data[at] ?? NaN)));
        expect(Math.max(...differences) / largest).toBeLessThan(1e-5);
      }
    }),
    { numRuns: 5 },
  );
});
