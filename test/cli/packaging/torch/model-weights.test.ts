import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findWeights } from '#cli/packaging/architectures/find-weights.ts';
import {
  writeGraph,
  type WriteOutput,
  writeTextLogits,
  writeTokenLogits,
  writeVocabularyLogits,
} from '#cli/packaging/architectures/write-graph.ts';
import { layerFloats } from '#cli/packaging/model/layer-weights.ts';
import { withFileSource } from '#platform/file-source.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { inputNames, useOnnxRuntime } from '../../../helpers/use-onnxruntime.ts';

// fixtures/scripts/make_torch_weights.py created the files.
const CASES: [name: string, file: string, write: WriteOutput][] = [
  ['bert-masked', 'pytorch_model.bin', writeVocabularyLogits],
  ['bert-text', 'pytorch_model.bin', writeTextLogits],
  ['deberta-v3-tokens', 'pytorch_model.bin.index.json', writeTokenLogits],
];

const folder = useTempFolder();
const runtime = useOnnxRuntime();

const torch = (name: string, file: string): string => join(FIXTURES, 'torch', name, file);
const safetensors = (name: string): string => join(FIXTURES, 'architectures', name, 'model.safetensors');

async function floatsOf(path: string): Promise<Map<string, number[]>> {
  const floats = new Map<string, number[]>();
  for (const [name, tensor] of await findWeights(path)) {
    floats.set(name, await withFileSource(tensor.file, (source) => [...layerFloats(source, tensor)]));
  }
  return floats;
}

test.each(CASES)('the tensors of %s in %s are those of its safetensors', async (name, file) => {
  const found = await floatsOf(torch(name, file));
  const expected = await floatsOf(safetensors(name));
  expect(expected.size).toBeGreaterThan(20);
  for (const [key, values] of expected) expect(found.get(key)).toEqual(values);
});

async function run(weights: string, write: WriteOutput) {
  const config = join(weights, '..', 'config.json');
  const written = await writeGraph({ weights, config }, write, folder());
  const graph = join(folder(), 'graph.onnx');
  await runtime().optimize({ model: written, graph, weights: 'weights.data', integers: undefined });
  const ids = [
    [5, 9, 12, 33, 41],
    [7, 3],
  ];
  const inputs = inputNames(graph);
  const { data } = await runtime().tryOut({
    graph,
    folder: folder(),
    inputs,
    output: 'logits',
    ids,
    padId: 0,
  });
  return data;
}

test.each(CASES)('the graph of %s from %s returns the same numbers', async (name, file, write) => {
  const expected = await run(safetensors(name), write);
  expect(await run(torch(name, file), write)).toEqual(expected);
});
