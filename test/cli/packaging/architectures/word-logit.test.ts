import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  writeGraph,
  writeHiddenStates,
  type WriteOutput,
  writeWordLogit,
} from '#cli/packaging/architectures/write-graph.ts';
import { causalRerankerFolder } from '../../../helpers/golden-causal-rerankers.ts';
import { largestDifference } from '../../../helpers/close.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { inputNames, useOnnxRuntime } from '../../../helpers/use-onnxruntime.ts';

const folder = useTempFolder();
const runtime = useOnnxRuntime();
const IDS = [[5, 9, 300], [7], [40, 41, 42, 43, 44]];

async function run(model: string, write: WriteOutput, output: string) {
  const files = { weights: join(model, 'model.safetensors'), config: join(model, 'config.json') };
  const written = await writeGraph(files, write, folder());
  const graph = join(folder(), 'graph.onnx');
  await runtime().optimize({ model: written, graph, weights: 'weights.bin', integers: undefined });
  const request = { graph, folder: folder(), inputs: inputNames(graph), output, ids: IDS, padId: 0 };
  return await runtime().tryOut(request);
}

/** A matrix of a safetensors file. */
function matrixOf(model: string, name: string): { readonly data: Float32Array; readonly width: number } {
  const file = readFileSync(join(model, 'model.safetensors'));
  const length = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + length)) as Record<
    string,
    { shape: [number, number]; data_offsets: [number, number] }
  >;
  const { shape, data_offsets: range } = header[name] ?? { shape: [0, 0], data_offsets: [0, 0] };
  const bytes = Uint8Array.from(file.subarray(8 + length + range[0], 8 + length + range[1]));
  return { data: new Float32Array(bytes.buffer), width: shape[1] };
}

test.each([
  ['Qwen3-Reranker', 'model.embed_tokens.weight'],
  ['Qwen3-Reranker-untied', 'lm_head.weight'],
])('%s compares the rows of two words in %s', async (name, weight) => {
  const model = causalRerankerFolder(name);
  const hidden = await run(model, writeHiddenStates, 'last_hidden_state');
  const { data, width } = matrixOf(model, weight);
  const [, length = 0] = hidden.dims;
  const logit = (text: number, word: number): number => {
    const start = (text * length + (IDS[text]?.length ?? 0) - 1) * width;
    const vector = hidden.data.subarray(start, start + width);
    return vector.reduce((sum, value, at) => sum + value * (data[word * width + at] ?? NaN), 0);
  };
  const both = await run(model, writeWordLogit({ relevant: 30, irrelevant: 31 }), 'logits');
  expect(both.dims).toEqual([3, 1]);
  const differences = IDS.map((_, text) => logit(text, 30) - logit(text, 31));
  expect(largestDifference([...both.data], differences)).toBeLessThan(1e-5);
  const one = await run(model, writeWordLogit({ relevant: 30 }), 'logits');
  expect(
    largestDifference(
      [...one.data],
      IDS.map((_, text) => logit(text, 30)),
    ),
  ).toBeLessThan(1e-5);
});
