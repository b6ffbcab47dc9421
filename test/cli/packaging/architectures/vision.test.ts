import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSimilarityScale } from '#cli/packaging/architectures/towers.ts';
import {
  writeGraph,
  writeImageLogits,
  writeImageStates,
  writeImageVectors,
  writePixelLogits,
  type WriteOutput,
  writeTextVectors,
} from '#cli/packaging/architectures/write-graph.ts';
import { selectRowEarly } from '#cli/packaging/onnx/select-row-early.ts';
import { largestDifference } from '../../../helpers/close.ts';
import { editGraph } from '../../../helpers/edited-graph.ts';
import { writeGpuForm } from '../../../helpers/gpu-form.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { inputNames, useOnnxRuntime } from '../../../helpers/use-onnxruntime.ts';

const folder = useTempFolder();
const runtime = useOnnxRuntime();

type Numbers = number | readonly Numbers[];
interface Golden {
  /** Height and width of the images; missing for models of texts. */
  readonly size?: readonly [height: number, width: number];
  readonly labels?: Numbers;
  readonly pixels?: Numbers;
  readonly states?: Numbers;
  readonly vectors?: Numbers;
  readonly ids?: readonly (readonly number[])[];
  readonly texts?: Numbers;
  readonly similarity?: Numbers;
}
const GOLDEN = JSON.parse(readFileSync(join(FIXTURES, 'golden/vision.json'), 'utf8')) as Record<
  string,
  Golden
>;
const IMAGES = 3;
/** The id of padding in the script that made the models. */
const PAD = 1;

const flatten = (value: Numbers): number[] => (typeof value === 'number' ? [value] : value.flatMap(flatten));

/** The pixels of the script that made the models, of some of its images. */
function pixels([height, width]: readonly [number, number], images: readonly number[]) {
  const count = 3 * height * width;
  const values = Float32Array.from({ length: images.length * count }, (_, at) => {
    const image = images[Math.floor(at / count)] ?? 0;
    return (((at % count) * 7919 + image * 104_729) % 2003) / 1001 - 1;
  });
  return { values, dims: [images.length, 3, height, width] };
}

const weightsOf = (model: string): string =>
  ['model.safetensors', 'pytorch_model.bin']
    .map((file) => join(model, file))
    .find((path) => existsSync(path)) ?? '';

/** Writes a graph, and optimizes and changes it as a build does. */
async function optimized(name: string, write: WriteOutput): Promise<string> {
  const model = join(FIXTURES, 'vision', name);
  const target = mkdtempSync(join(folder(), 'graph-'));
  const config = join(model, 'config.json');
  const written = await writeGraph({ weights: weightsOf(model), config }, write, target);
  const graph = join(target, 'graph.onnx');
  await runtime().optimize({ model: written, graph, weights: 'weights.bin', integers: undefined });
  editGraph(graph, selectRowEarly);
  return graph;
}

const runImages = async (
  graph: string,
  output: string,
  size: readonly [number, number],
  images: readonly number[],
) =>
  await runtime().tryOut({
    graph,
    folder: join(graph, '..'),
    inputs: inputNames(graph),
    output,
    ids: [],
    padId: 0,
    images: pixels(size, images),
  });

const IMAGE_OUTPUTS = [
  ['labels', writeImageLogits, 'logits'],
  ['pixels', writePixelLogits, 'logits'],
  ['states', writeImageStates, 'last_hidden_state'],
  ['vectors', writeImageVectors, 'image_embeds'],
] as const;

const IMAGE_CASES = Object.entries(GOLDEN).flatMap(([name, golden]) =>
  IMAGE_OUTPUTS.flatMap(([part, write, output]) => {
    const { [part]: expected, size } = golden;
    return expected === undefined || size === undefined
      ? []
      : [{ name, part, write, output, size, expected }];
  }),
);

test.each(IMAGE_CASES)(
  '$name returns the same $part as transformers, for one image and for several',
  async ({ name, write, output, size, expected }) => {
    const [height, width] = size;
    const graph = await optimized(name, write({ height, width }));
    expect(inputNames(graph)).toEqual(['pixel_values']);
    const together = await runImages(graph, output, size, [0, 1, 2]);
    const numbers = flatten(expected);
    expect(largestDifference([...together.data], numbers)).toBeLessThan(1e-5);
    expect(together.dims[0]).toBe(IMAGES);
    const each = numbers.length / IMAGES;
    // Images must differ, so that a graph which mixes them fails.
    expect(largestDifference(numbers.slice(0, each), numbers.slice(-each))).toBeGreaterThan(1e-2);
    const onGpu = await runImages(writeGpuForm(graph), output, size, [0, 1, 2]);
    expect(largestDifference([...onGpu.data], numbers)).toBeLessThan(1e-5);
    const alone = await runImages(graph, output, size, [2]);
    expect(largestDifference([...alone.data], numbers.slice(-each))).toBeLessThan(1e-5);
  },
);

const TEXT_CASES = Object.entries(GOLDEN).flatMap(([name, { ids, texts }]) =>
  ids === undefined || texts === undefined ? [] : [{ name, ids, expected: flatten(texts) }],
);

const runTexts = async (graph: string, ids: NonNullable<Golden['ids']>) =>
  await runtime().tryOut({
    graph,
    folder: join(graph, '..'),
    inputs: inputNames(graph),
    output: 'text_embeds',
    ids,
    padId: PAD,
  });

test.each(TEXT_CASES)(
  '$name returns the same vectors of texts as transformers, for one text and for several',
  async ({ name, ids, expected }) => {
    const graph = await optimized(name, writeTextVectors(PAD));
    // SigLIP attends to padding.
    expect(inputNames(graph).includes('attention_mask')).toBe(!name.startsWith('siglip'));
    expect(largestDifference([...(await runTexts(graph, ids)).data], expected)).toBeLessThan(1e-5);
    const onGpu = await runTexts(writeGpuForm(graph), ids);
    expect(largestDifference([...onGpu.data], expected)).toBeLessThan(1e-5);
    const alone = await runTexts(graph, ids.slice(1, 2));
    const each = expected.length / ids.length;
    expect(largestDifference([...alone.data], expected.slice(each, 2 * each))).toBeLessThan(1e-5);
  },
);

const SIMILAR_CASES = Object.entries(GOLDEN).flatMap(([name, { similarity, vectors, texts }]) =>
  similarity === undefined || vectors === undefined || texts === undefined
    ? []
    : [{ name, similarity, vectors, texts }],
);

test.each(SIMILAR_CASES)(
  '$name: the scale and bias from the weights give the scores of transformers',
  async ({ name, similarity, vectors, texts }) => {
    const { scale, bias = 0 } = await readSimilarityScale(weightsOf(join(FIXTURES, 'vision', name)));
    const normalized = (rows: Numbers): number[][] =>
      (rows as readonly (readonly number[])[]).map((row) => {
        const length = Math.hypot(...row);
        return row.map((value) => value / length);
      });
    const scores = normalized(vectors).flatMap((image) =>
      normalized(texts).map(
        (text) => image.reduce((sum, value, at) => sum + value * (text[at] ?? 0), 0) * scale + bias,
      ),
    );
    expect(largestDifference(scores, flatten(similarity))).toBeLessThan(1e-5);
    expect(bias === 0).toBe(name.startsWith('clip'));
  },
);

test('a text that is longer than the maximum of SigLIP is an error instead of being cut off', async () => {
  const graph = await optimized('siglip', writeTextVectors(PAD));
  const longest = Array.from({ length: 12 }, () => 5);
  expect((await runTexts(graph, [longest])).dims).toEqual([1, 16]);
  await expect(runTexts(graph, [[...longest, 5]])).rejects.toThrow('Add');
});
