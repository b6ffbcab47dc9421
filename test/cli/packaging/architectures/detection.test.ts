import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeDetections, writeGraph } from '#cli/packaging/architectures/write-graph.ts';
import { readImageProcessor } from '#cli/packaging/images/read-processor.ts';
import { tensorMaker } from '#core/images/image-tensor.ts';
import { findObjects } from '#encoder/math/detections.ts';
import { decodeImage } from '#platform/images/decode-image.ts';
import { largestDifference } from '../../../helpers/close.ts';
import {
  cornersOf,
  DETECTION,
  DETECTION_THRESHOLD,
  detectorFolder,
} from '../../../helpers/golden-detection.ts';
import { plainPasses } from '../../../helpers/plain-passes.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { inputNames, useOnnxRuntime } from '../../../helpers/use-onnxruntime.ts';

const folder = useTempFolder();
const runtime = useOnnxRuntime();
const LABELS = ['circle', 'square', 'stripes'];

describe.each(Object.entries(DETECTION))('%s', (name, images) => {
  test('finds the same objects as transformers in images of all sizes, from the weights', async () => {
    const model = detectorFolder(name);
    const { recipe, detection } = await readImageProcessor(model);
    if (!detection) throw new Error('the processor does not find objects');
    const target = mkdtempSync(join(folder(), 'graph-'));
    const files = { weights: join(model, 'model.safetensors'), config: join(model, 'config.json') };
    const written = await writeGraph(files, writeDetections(recipe.size), target);
    const graph = join(target, 'graph.onnx');
    await runtime().optimize({ model: written, graph, weights: 'weights.bin', integers: undefined });
    expect(inputNames(graph)).toEqual(['pixel_values']);
    const makeTensor = tensorMaker(recipe, plainPasses);
    const sizes = new Set<string>();
    for (const [file, expected] of Object.entries(images)) {
      const image = await decodeImage(readFileSync(join(FIXTURES, 'shapes', file)), recipe.alpha);
      const { values, height, width: columns } = makeTensor(image);
      sizes.add(`${height} x ${columns}`);
      const twice = new Float32Array(2 * values.length);
      twice.set(values, values.length);
      const request = { graph, folder: target, inputs: ['pixel_values'], output: 'detections', ids: [] };
      const dims = (count: number): number[] => [count, 3, height, columns];
      const alone = await runtime().tryOut({ ...request, padId: 0, images: { values, dims: dims(1) } });
      const both = await runtime().tryOut({ ...request, padId: 0, images: { values: twice, dims: dims(2) } });
      const width = alone.dims.at(-1) ?? 0;
      expect(width).toBe(LABELS.length + 5);
      for (const data of [alone.data, both.data.subarray(alone.data.length)]) {
        const found = findObjects(data, width, {
          settings: detection,
          image,
          threshold: DETECTION_THRESHOLD,
        });
        expect(found.map(({ label }) => LABELS[label])).toEqual(expected.map(({ label }) => label));
        const scores = found.map(({ score }) => score);
        expect(
          largestDifference(
            scores,
            expected.map(({ score }) => score),
          ),
        ).toBeLessThan(1e-5);
        const corners = found.flatMap(({ box }) => cornersOf(box));
        expect(
          largestDifference(
            corners,
            expected.flatMap(({ box }) => box),
          ),
        ).toBeLessThan(1e-3);
      }
    }
    expect(sizes.size).toBe(recipe.size ? 1 : 3);
  });
});
